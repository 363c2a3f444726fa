import { Link } from "react-router";
import type { Round } from "@/api/projectTypes";
import { Notice } from "@/ui/Notice";

/** What the round's close began by itself: a training on all labels, or why there is none. */
export function ClosingTraining({ slug, round }: { slug: string; round: Round }) {
  const { due, run, error } = round.training;
  if (run !== null) {
    return (
      <Notice tone="info">
        Its close began <Link to={`/projects/${slug}/prms/runs/${run}`}>a training on all labels</Link>.
      </Notice>
    );
  }
  if (due) {
    return (
      <Notice tone="info">
        Its close begins a training on all labels: within half a minute, or once a training of the project that is under
        way has ended.
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
