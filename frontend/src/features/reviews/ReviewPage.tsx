import { Link, useNavigate, useParams, useSearchParams } from "react-router";
import { useSubmittedPath } from "@/api/paths";
import type { Review } from "@/api/reviewTypes";
import { ofTrace } from "@/api/runSteps";
import { ButtonLink } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { useRunUnits } from "@/ui/run/useRunUnits";
import { StatusMark } from "@/ui/StatusMark";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { LabelMatrix } from "@/ui/trace/LabelMatrix";
import { LabelPaths } from "@/ui/trace/LabelPaths";
import { LabelVerdicts } from "@/ui/trace/LabelVerdicts";
import { isPath } from "@/ui/trace/pathWords";
import { TraceHead, useRawText } from "@/ui/trace/TraceText";
import { OtherDecisions } from "./OtherDecisions";
import { useReview, useReviews } from "./queries";
import { ReviewGold } from "./ReviewGold";
import { RulingForm } from "./RulingForm";
import { taskMoves } from "./reviewCommands";
import classes from "./reviews.module.css";
import { decisionsSaid, KINDS, verdictWords } from "./reviewWords";
import { Threads } from "./Threads";
import { useMoveKeys, usePageKeys } from "./useListKeys";

/** One task with its labels side by side: why it waits, and everything a reviewer can decide about it. */
export function ReviewPage() {
  const { slug = "", taskId } = useParams();
  const [params] = useSearchParams();
  const kind = params.get("kind") ?? "";
  const review = useReview(Number(taskId));
  const { raw, toggle } = useRawText();
  const { before, after } = useNeighbours(slug, Number(taskId), kind);
  const keys = useMoveKeys(taskMoves);
  const query = kind ? `?kind=${kind}` : "";
  return (
    <>
      <PageHeading
        title={`Review of task ${taskId}`}
        actions={
          <>
            <ButtonLink to={`/projects/${slug}/review${query}`}>Queue</ButtonLink>
            {before && (
              <ButtonLink to={`/projects/${slug}/review/${before}${query}`} title={`Key ${keys.previous}`}>
                Previous <kbd>{keys.previous}</kbd>
              </ButtonLink>
            )}
            {after && (
              <ButtonLink to={`/projects/${slug}/review/${after}${query}`} title={`Key ${keys.next}`}>
                Next <kbd>{keys.next}</kbd>
              </ButtonLink>
            )}
            {toggle}
          </>
        }
      />
      {review.isPending && <SkeletonLines lines={12} />}
      {review.isError && !review.data && <ErrorState inline error={review.error} retry={() => void review.refetch()} />}
      {review.data && <Body key={taskId} slug={slug} review={review.data} raw={raw} />}
    </>
  );
}

/** The previous and next task in the loaded part of the queue, reachable by keys. */
function useNeighbours(slug: string, taskId: number, kind: string) {
  const navigate = useNavigate();
  const rows = useReviews(slug, kind).rows ?? [];
  const before = rows.findLast((task) => task.id < taskId)?.id;
  const after = rows.find((task) => task.id > taskId)?.id;
  usePageKeys((pressed) => {
    const to = pressed === "open" ? undefined : pressed.by === 1 ? after : before;
    if (to !== undefined) void navigate(`/projects/${slug}/review/${to}${kind ? `?kind=${kind}` : ""}`);
    return to !== undefined;
  }, taskMoves);
  return { before, after };
}

function Body({ slug, review, raw }: { slug: string; review: Review; raw: boolean }) {
  const { task } = review;
  const labels = task.labels.filter((label) => label.status !== "superseded");
  const earlierRulings = task.labels.filter((label) => label.ruling && label.status === "superseded");
  const run = useRunUnits(task.trace.typed_steps, task.trace.steps.length, ofTrace, task.trace.id);
  const table = (
    <LabelMatrix steps={task.trace.steps} labels={labels} alternatives={task.trace.alternatives} raw={raw} run={run} />
  );
  return (
    <>
      <Why slug={slug} review={review} />
      <Panel title="Problem">
        <TraceHead
          problem={task.trace.problem}
          finalAnswer={task.trace.final_answer}
          outcome={task.trace.outcome}
          raw={raw}
        />
      </Panel>
      {isPath(task.trace) ? (
        <LabelPaths labels={labels} raw={raw} usePath={useSubmittedPath} table={table} />
      ) : (
        <Panel bare title={countOf(task.trace.steps.length, "step")} note="Disputed steps are marked.">
          {table}
        </Panel>
      )}
      <Panel bare title="Labels in words">
        <LabelVerdicts labels={labels} />
      </Panel>
      {earlierRulings.length > 0 && (
        <Panel bare title="Earlier rulings" note="These were replaced or withdrawn. They do not count.">
          <LabelVerdicts labels={earlierRulings} />
        </Panel>
      )}
      <RulingForm slug={slug} review={review} />
      <ReviewGold slug={slug} review={review} />
      <Threads slug={slug} review={review} />
      <OtherDecisions slug={slug} review={review} />
    </>
  );
}

function Why({ slug, review }: { slug: string; review: Review }) {
  const { task, waiting, decisions, settlement, verdict, held } = review;
  return (
    <Panel
      title={waiting.length > 0 ? "Why it waits" : "Nothing waits here any more"}
      note={`In ${task.round.name || `round ${task.round.number}`}, ${verdictWords(settlement, verdict)}${
        held > 0 ? `; ${countOf(held, "label")} being worked on` : ""
      }.`}
    >
      {review.withdrawn && (
        <Notice tone="warn" title="Off the queue">
          {review.replaced_by === null ? (
            "This task is no longer served. Open labels can still be finished and are kept."
          ) : (
            <>
              It was replaced by a version with another split:{" "}
              <Link to={`/projects/${slug}/review/${review.replaced_by}`}>task {review.replaced_by}</Link>.
            </>
          )}
        </Notice>
      )}
      {review.replaces !== null && (
        <p className={classes.aside}>
          Its split was repaired; the earlier version is{" "}
          <Link to={`/projects/${slug}/review/${review.replaces}`}>task {review.replaces}</Link>.
        </p>
      )}
      <ul className={classes.why}>
        {waiting.map((kind) => (
          <li key={kind}>
            <StatusMark tone={KINDS[kind].tone}>{KINDS[kind].name}</StatusMark> <span>{KINDS[kind].means}</span>
          </li>
        ))}
        {decisionsSaid(decisions).map((said) => (
          <li key={said} className={classes.decided}>
            {said}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
