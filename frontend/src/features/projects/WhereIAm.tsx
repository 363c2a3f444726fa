import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { MyLabel, MyProgress, Page } from "@/api/types";
import { countOf, formatCount, formatDuration } from "@/ui/format";
import { RowLink } from "@/ui/PagedTable";
import { RelativeTime } from "@/ui/RelativeTime";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import classes from "./projects.module.css";

/** Your own day, the team's round, and the label you stopped at. Nothing while it loads, or if it did not load. */
export function WhereIAm({ slug }: { slug: string }) {
  const progress = useQuery({
    queryKey: ["my-progress", slug],
    queryFn: ({ signal }) => api.get<MyProgress>(`/api/projects/${slug}/my_progress`, { signal }),
  }).data;
  const last = useQuery({
    queryKey: ["my-last-label", slug],
    queryFn: ({ signal }) => api.get<Page<MyLabel>>(`/api/projects/${slug}/my_labels`, { signal }),
    select: (page) => page.results[0],
  }).data;
  if (!progress) return null;
  const { submitted_today: today, active_ms_today: active, round } = progress;
  return (
    <dl className={classes.whereIAm}>
      <dt>You, today</dt>
      <dd>{today === 0 ? "No labels yet" : `${countOf(today, "label")}, ${formatDuration(active)} active`}</dd>
      {round && (
        <>
          <dt>Everyone, round {round.number}</dt>
          <dd>
            {formatCount(round.done)} of {countOf(round.total, "label")}
          </dd>
        </>
      )}
      {last && (
        <>
          <dt>Where you stopped</dt>
          <dd>
            <RowLink to={`/projects/${slug}/my-work/${last.id}`}>
              <ProblemExcerpt text={last.problem_text} />
            </RowLink>
            {last.submitted_at ? (
              <span>
                submitted <RelativeTime at={last.submitted_at} />
              </span>
            ) : (
              <span>not finished</span>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}
