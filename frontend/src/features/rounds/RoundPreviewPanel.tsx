import { Link } from "react-router";
import type { RoundPreview } from "@/api/projectTypes";
import { countOf, formatCount } from "@/ui/format";
import { ErrorState, Skeleton } from "@/ui/states";
import { OutcomeMark, ProblemExcerpt } from "@/ui/trace/TraceText";
import { RoundForecast } from "./RoundForecast";
import classes from "./rounds.module.css";

interface RoundPreviewPanelProps {
  slug: string;
  overlap: number | null;
  preview: {
    data: RoundPreview | undefined;
    error: unknown;
    isFetching: boolean;
    refetch: () => unknown;
  };
}

/** Said when the labels are requested, not only later, when a training leaves them out. */
export function heldOutWords({ traces, held_out: heldOut }: Pick<RoundPreview, "traces" | "held_out">): string {
  if (heldOut === 1)
    return "1 is of a held-out problem: its label is for measuring only, and no training learns from it.";
  const which =
    heldOut === traces ? "All are of held-out problems" : `${formatCount(heldOut)} are of held-out problems`;
  return `${which}: their labels are for measuring only, and no training learns from them.`;
}

/** What the round would contain if it were opened now. */
export function RoundPreviewPanel({ slug, overlap, preview }: RoundPreviewPanelProps) {
  const { data } = preview;
  return (
    <section className={classes.preview} aria-label="Preview" aria-busy={preview.isFetching}>
      <h2>It would hold</h2>
      {preview.error && !data ? (
        <ErrorState inline error={preview.error} retry={() => void preview.refetch()} />
      ) : (
        <div data-stale={preview.isFetching || undefined} className={classes.previewBody}>
          <p className={classes.total} aria-live="polite">
            {data ? formatCount(data.traces) : <Skeleton width={90} />}
            <small>{data ? (data.traces === 1 ? "trace" : "traces") : ""}</small>
          </p>
          {data && data.traces > 0 && (
            <p className={classes.consequence}>
              of {countOf(data.problems, "problem")}
              {overlap !== null && `; ${countOf(data.traces * overlap, "label")} wanted`}
            </p>
          )}
          {data && data.held_out > 0 && <p className={classes.consequence}>{heldOutWords(data)}</p>}
          {data && overlap !== null && <RoundForecast slug={slug} labels={data.traces * overlap} />}
          {data?.traces === 0 && <p className={classes.consequence}>No trace fits.</p>}
          <ul>
            {data?.sample.map((trace) => (
              <li key={trace.id}>
                <Link to={`/projects/${slug}/traces/${trace.id}`}>
                  <ProblemExcerpt text={trace.problem.text} />
                </Link>
                <span>
                  <OutcomeMark outcome={trace.outcome} /> {countOf(trace.step_count, "step")}
                  {trace.generator && `, ${trace.generator}`}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
