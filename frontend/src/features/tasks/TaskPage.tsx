import { Link, useParams } from "react-router";
import { useSubmittedPath } from "@/api/paths";
import type { TaskDetail } from "@/api/projectTypes";
import { ofTrace } from "@/api/runSteps";
import { countOf } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { useRunUnits } from "@/ui/run/useRunUnits";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { LabelMatrix } from "@/ui/trace/LabelMatrix";
import { LabelPaths } from "@/ui/trace/LabelPaths";
import { LabelVerdicts } from "@/ui/trace/LabelVerdicts";
import { isPath } from "@/ui/trace/pathWords";
import { TraceHead, useRawText } from "@/ui/trace/TraceText";
import { useTask } from "./queries";
import classes from "./tasks.module.css";

/** One task: its trace with all its labels. */
export function TaskPage() {
  const { slug = "", taskId } = useParams();
  const task = useTask(Number(taskId));
  const { raw, toggle } = useRawText();
  return (
    <>
      <PageHeading title={`Task ${taskId}`} actions={toggle} />
      {task.isPending && <SkeletonLines lines={10} />}
      {task.isError && !task.data && <ErrorState inline error={task.error} retry={() => void task.refetch()} />}
      {task.data && (
        <>
          <p className={classes.lede}>
            {countOf(task.data.labels.length, "label")},{" "}
            {task.data.labels_wanted > 0 ? `${task.data.labels_wanted} more wanted` : "no more wanted"}, in{" "}
            <Link to={`/projects/${slug}/rounds/${task.data.round.id}`}>
              {task.data.round.name || `round ${task.data.round.number}`}
            </Link>
            . The trace is <Link to={`/projects/${slug}/traces/${task.data.trace.id}`}>trace {task.data.trace.id}</Link>
            .
          </p>
          <TaskBody task={task.data} raw={raw} />
        </>
      )}
    </>
  );
}

function TaskBody({ task, raw }: { task: TaskDetail; raw: boolean }) {
  const labels = task.labels.filter((label) => label.status !== "superseded");
  const run = useRunUnits(task.trace.typed_steps, task.trace.steps.length, ofTrace, task.trace.id);
  const table = (
    <LabelMatrix steps={task.trace.steps} labels={labels} alternatives={task.trace.alternatives} raw={raw} run={run} />
  );
  return (
    <>
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
        <Panel bare title={countOf(task.trace.steps.length, "step")}>
          {table}
        </Panel>
      )}
      <Panel bare title="Labels">
        {labels.length > 0 ? (
          <LabelVerdicts labels={labels} />
        ) : (
          <p className={classes.lede}>Nobody has labeled it yet.</p>
        )}
      </Panel>
    </>
  );
}
