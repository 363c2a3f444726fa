import { useState } from "react";
import { useParams } from "react-router";
import type { Evaluation } from "@/api/trainingTypes";
import { useWaiting } from "@/api/waiting";
import { Button, ButtonLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { intervalPart, signed } from "@/ui/charts/estimateWords";
import { countOf, formatCount, formatDateTime } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { StatusMark } from "@/ui/StatusMark";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { TriedAgain } from "@/ui/TriedAgain";
import { Waiting } from "@/ui/Waiting";
import { CalibrationOf, FiguresPanel, GroupsPanel, LengthChart, PickingChart } from "./EvaluationCharts";
import { NeverWrong } from "./NeverWrong";
import { PromoteDialog } from "./PromoteDialog";
import classes from "./prms.module.css";
import { isOver, useCancelEvaluation, useEvaluation, useSelects } from "./queries";
import { ThresholdChart } from "./ThresholdChart";
import { UnknownOrigin } from "./UnknownOrigin";

/** One PRM on one set: every figure next to the baseline, charts first. */
export function EvaluationPage() {
  const { slug = "", evaluationId } = useParams();
  const evaluation = useEvaluation(Number(evaluationId));
  return (
    <>
      <PageHeading
        title={evaluation.data?.prm.name ?? `Evaluation ${evaluationId}`}
        actions={evaluation.data && <Actions slug={slug} evaluation={evaluation.data} />}
      >
        {evaluation.data && <JobMark status={evaluation.data.status} />}
      </PageHeading>
      {evaluation.isPending && <SkeletonLines lines={8} />}
      {evaluation.isError && !evaluation.data && (
        <ErrorState inline error={evaluation.error} retry={() => void evaluation.refetch()} />
      )}
      {evaluation.data && <Body slug={slug} evaluation={evaluation.data} />}
    </>
  );
}

function Body({ slug, evaluation }: { slug: string; evaluation: Evaluation }) {
  const { report, evaluation_set: set } = evaluation;
  const unscored = Object.entries(report?.unscored ?? {});
  return (
    <>
      {!isOver(evaluation) && <Running evaluation={evaluation} />}
      {evaluation.status === "failed" && (
        <Notice tone="bad" title={evaluation.error || "It failed. See the worker’s log."} />
      )}
      {evaluation.status === "cancelled" && (
        <Notice tone="info" title="Stopped. The scores computed so far are kept for the next evaluation." />
      )}
      {report && (
        <>
          <NeverWrong slug={slug} evaluation={evaluation} />
          <Verdict evaluation={evaluation} />
          <UnknownOrigin evaluations={[evaluation]} />
          {unscored.length > 0 && (
            <Notice tone="warn" title="Some traces are left out of every figure">
              {unscored.map(([reason, count]) => `${countOf(count, "trace")}: ${reason}`).join("; ")}
            </Notice>
          )}
          <FiguresPanel report={report} />
          <div className={classes.wide}>
            <ThresholdChart key={evaluation.id} slug={slug} evaluation={evaluation} />
          </div>
          <div className={classes.charts}>
            <CalibrationOf report={report} />
            <LengthChart length={report.length} />
          </div>
          <div className={classes.wide}>
            <PickingChart best={report.best_of_n} />
          </div>
          <GroupsPanel groups={report.groups} />
        </>
      )}
      <Panel title="How it was measured">
        <Facts
          facts={[
            ["Set", set.name],
            ["Traces", `${countOf(set.traces, "trace")} of ${countOf(set.problems, "problem")}`],
            ["Judged wrong below", evaluation.threshold.toFixed(2)],
            ["Graded by", set.grader_versions.join(", ")],
            ["PRM learned from", originOf(evaluation)],
            ["Asked by", evaluation.created_by?.display_name ?? "the machine"],
            ["Asked", formatDateTime(evaluation.created_at)],
          ]}
        />
      </Panel>
    </>
  );
}

function originOf({ labels_used, learned_from, origin_known }: Evaluation): string {
  if (labels_used !== null) return countOf(labels_used, "label");
  return learned_from || (origin_known ? "the problems named in its meta.json, none of them in this set" : "unknown");
}

function Verdict({ evaluation }: { evaluation: Evaluation }) {
  const { report } = evaluation;
  if (!report || report.beats_baseline === null) {
    return (
      <Notice tone="info" title="Too few rated steps to compare with the baseline">
        The set needs both right and wrong steps, on several problems.
      </Notice>
    );
  }
  const gain = report.gain;
  const sure = `${signed(gain.value ?? 0)} in step AUC, ${intervalPart(gain, signed)}`;
  return report.beats_baseline ? (
    <Notice tone="good" title="It beats the baseline">
      It is ahead of position and length alone by {sure}.
    </Notice>
  ) : (
    <Notice tone="warn" title="It does not beat the baseline">
      As far as this set can show, position and length alone predict as well: {sure}. Promote it with care.
    </Notice>
  );
}

/** More than the set's traces are scored: best of N also needs graded traces of the same problems. */
function scoredWords({ traces_done, traces_total, evaluation_set: set }: Evaluation): string {
  const beside = traces_total - set.traces;
  const scored = `${formatCount(traces_done)} of ${countOf(traces_total, "trace")} scored. The figures follow.`;
  return beside > 0
    ? `${scored} ${formatCount(beside)} of these traces are not in the set: they are for best of N.`
    : scored;
}

function Running({ evaluation }: { evaluation: Evaluation }) {
  const ahead = useWaiting("evaluation", evaluation.id, evaluation.status === "queued");
  const { traces_done, traces_total } = evaluation;
  return (
    <Panel>
      <TriedAgain error={evaluation.error} />
      <div className={classes.running}>
        <ProgressLine
          label="Evaluation"
          done={traces_done}
          total={evaluation.status === "queued" ? 1 : traces_total || null}
        />
        <span aria-live="polite">
          {evaluation.status === "queued" ? (
            <Waiting on={ahead} queue="gpu" />
          ) : traces_total > 0 ? (
            scoredWords(evaluation)
          ) : (
            "Starting…"
          )}
        </span>
      </div>
    </Panel>
  );
}

function Actions({ slug, evaluation }: { slug: string; evaluation: Evaluation }) {
  const cancel = useCancelEvaluation(slug, evaluation.id);
  const selects = useSelects(slug, evaluation.prm.id);
  const [asking, setAsking] = useState(false);
  const [stopping, setStopping] = useState(false);
  return (
    <>
      <ButtonLink to={`/projects/${slug}/evaluations`}>Evaluations</ButtonLink>
      {!isOver(evaluation) && <Button onClick={() => setStopping(true)}>Stop</Button>}
      {selects && <StatusMark tone="good">selector</StatusMark>}
      {evaluation.status === "succeeded" && selects === false && (
        <Button kind="primary" onClick={() => setAsking(true)}>
          Promote
        </Button>
      )}
      <PromoteDialog slug={slug} prm={evaluation.prm} opened={asking} onClose={() => setAsking(false)} />
      <ConfirmDialog
        opened={stopping}
        title="Stop this evaluation?"
        confirm="Stop it"
        danger
        onConfirm={() => cancel.mutateAsync()}
        onClose={() => setStopping(false)}
      >
        The scores computed so far are kept.
      </ConfirmDialog>
    </>
  );
}
