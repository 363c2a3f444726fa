import { Link } from "react-router";
import type { Round } from "@/api/projectTypes";
import { Notice } from "@/ui/Notice";

/** What the round's close began by itself: a training on all labels, or why there is none. */
export function ClosingTraining({ slug, round }: { slug: string; round: Round }) {
  const { due, run, name, error } = round.training;
  if (run !== null) {
    return (
      <Notice tone="info">
        Its close began a training on all labels:{" "}
        <Link to={`/projects/${slug}/prms/runs/${run}`}>{name || `training ${run}`}</Link>.
      </Notice>
    );
  }
  if (due) {
    return (
      <Notice tone="info">
        The round is closed, and a training on all labels is about to begin: within half a minute, or once a training of
        the project that is under way has ended.
      </Notice>
    );
  }
  if (!error) return null;
  return (
    <Notice tone="info" title="No training began at its close">
      {error} The next close of a round takes its labels too.
    </Notice>
  );
}
