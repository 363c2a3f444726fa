import { useQuery } from "@tanstack/react-query";
import type { EarlierLabel, Label } from "@/api/types";
import { Disclosure } from "@/ui/Disclosure";
import { MathText } from "@/ui/math/MathText";
import { RelativeTime } from "@/ui/RelativeTime";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./EarlierPanel.module.css";
import { earlierLabelsQuery } from "./queries";
import { showRating } from "./RatingButtons";

/** The labeler's own labels of other traces of the same problem, newest first, read-only. */
export function EarlierPanel({ label }: { label: Label }) {
  const earlier = useQuery(earlierLabelsQuery(label.id));
  return (
    <>
      {earlier.isPending && <SkeletonLines lines={6} label="Loading your earlier labels" />}
      {earlier.isError && <ErrorState inline error={earlier.error} retry={() => void earlier.refetch()} />}
      {earlier.data?.results.length === 0 && (
        <EmptyState inline title="None yet">
          <p>This is the first trace of this problem that you label.</p>
        </EmptyState>
      )}
      {earlier.data?.results.map((one, place) => (
        <Earlier key={one.id} label={one} open={place === 0} />
      ))}
    </>
  );
}

const VERDICTS: Record<EarlierLabel["finish_reason"], string> = {
  found_error: "Error found",
  solution: "Solution",
  bad_problem: "Bad problem",
  give_up: "Given up",
};

function Earlier({ label, open }: { label: EarlierLabel; open: boolean }) {
  const found = label.verdict !== null && label.verdict >= 0;
  const verdict = found ? `First error at step ${Number(label.verdict) + 1}` : VERDICTS[label.finish_reason];
  return (
    <Disclosure
      start={open}
      title={
        <>
          {verdict}{" "}
          <span className={classes.when}>
            · label {label.id}, <RelativeTime at={label.submitted_at} />
          </span>
        </>
      }
    >
      <ol className={classes.steps}>
        {label.steps.map((text, step) => {
          const rating = label.ratings[step] ?? null;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its place in the trace
            <li key={step} className={rating === null ? classes.unrated : undefined}>
              <span className={classes.rating} data-rating={rating ?? undefined}>
                {rating === null ? "–" : showRating(rating)}
              </span>
              <div className="read">
                <MathText text={text} />
              </div>
            </li>
          );
        })}
      </ol>
    </Disclosure>
  );
}
