import { Link } from "react-router";
import type { Round } from "@/api/projectTypes";
import { Notice } from "@/ui/Notice";

/** The training on all labels that the round's close started automatically, or why there is none. */
export function ClosingTraining({ slug, round }: { slug: string; round: Round }) {
  const { due, run, name, error } = round.training;
  if (run !== null) {
    return (
      <Notice tone="info">
        Closing the round started a training on all labels:{" "}
        <Link to={`/projects/${slug}/prms/runs/${run}`}>{name || `training ${run}`}</Link>.
      </Notice>
    );
  }
  if (due) {
    return (
      <Notice tone="info">
        The round is closed. A training on all labels will start within half a minute, or when the project’s current
        training has ended.
      </Notice>
    );
  }
  if (!error) return null;
  return (
    <Notice tone="info" title="No training started when the round was closed">
      {error} The training at the next close of a round uses these labels too.
    </Notice>
  );
}
