import { useEffect, useRef, useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import type { TraceDetail } from "@/api/projectTypes";
import { ofTrace } from "@/api/runSteps";
import { Button, ButtonLink } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { useRunUnits } from "@/ui/run/useRunUnits";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { LabelMatrix, showStep } from "@/ui/trace/LabelMatrix";
import { LabelVerdicts } from "@/ui/trace/LabelVerdicts";
import { TraceHead, useRawText } from "@/ui/trace/TraceText";
import { numberedRound } from "@/ui/trainingWords";
import { GoldPanel } from "./GoldPanel";
import { MachineMarks } from "./MachineMarks";
import { useTrace } from "./queries";
import { RecordedVerdicts } from "./RecordedVerdicts";
import { otherAnswer, recordedNote } from "./recordedWords";
import { AllScores, ScoresPanel, useScoresInView } from "./ScoresPanel";
import classes from "./traces.module.css";
import { treeOf } from "./traceWords";

/** One trace: its problem, its steps, and every label on it side by side. */
export function TracePage() {
  const { slug = "", traceId } = useParams();
  const trace = useTrace(Number(traceId));
  const { raw, toggle } = useRawText();
  return (
    <>
      <PageHeading
        title={`Trace ${traceId}`}
        actions={
          <>
            {trace.data && (
              <ButtonLink to={`/projects/${slug}/${treeOf(trace.data.problem.id, trace.data.id)}`}>
                The problem’s traces as a tree
              </ButtonLink>
            )}
            {toggle}
          </>
        }
      />
      {trace.isPending && <SkeletonLines lines={10} />}
      {trace.isError && !trace.data && <ErrorState inline error={trace.error} retry={() => void trace.refetch()} />}
      {trace.data && (
        <>
          <Panel title="Problem" note={origin(trace.data)}>
            <TraceHead
              problem={trace.data.problem}
              finalAnswer={trace.data.final_answer}
              outcome={trace.data.outcome}
              raw={raw}
              otherAnswer={otherAnswer(trace.data)}
            />
          </Panel>
          <GoldPanel slug={slug} trace={trace.data} />
          <StepsAndLabels trace={trace.data} raw={raw} />
          <MachineMarks trace={trace.data.id} />
          <RecordedVerdicts verdicts={trace.data.recorded_verdicts} />
          <TasksOfTrace slug={slug} trace={trace.data} />
          <Metadata trace={trace.data} />
        </>
      )}
    </>
  );
}

function origin({ problem }: TraceDetail): string {
  return [
    problem.external_id,
    problem.subject,
    problem.level && `level ${problem.level}`,
    problem.source,
    problem.licence,
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * The step that the address names (`?step=3`, counted from 1). It is brought into view; the address follows the choice.
 */
function useStepOfAddress(steps: number): [number | null, (step: number) => void] {
  const [params, setParams] = useSearchParams();
  const asked = Number(params.get("step")) - 1;
  const picked = Number.isInteger(asked) && asked >= 0 && asked < steps ? asked : null;
  const first = useRef(picked);
  useEffect(() => {
    if (first.current !== null) showStep(first.current);
  }, []);
  return [picked, (step) => setParams({ step: String(step + 1) }, { replace: true, preventScrollReset: true })];
}

function StepsAndLabels({ trace, raw }: { trace: TraceDetail; raw: boolean }) {
  const [older, setOlder] = useState(false);
  const [picked, setPicked] = useStepOfAddress(trace.steps.length);
  const { scores, chooser } = useScoresInView(trace);
  const run = useRunUnits(trace.typed_steps, trace.steps.length, ofTrace, trace.id);
  const all = trace.tasks.flatMap((task) => task.labels);
  const superseded = all.filter((label) => label.status === "superseded").length;
  const labels = older ? all : all.filter((label) => label.status !== "superseded");
  const pick = (step: number) => {
    setPicked(step);
    showStep(step);
  };
  return (
    <>
      {scores && <ScoresPanel scores={scores} chooser={chooser} picked={picked} onPick={pick} />}
      <AllScores scores={trace.scores} picked={picked} onPick={pick} />
      <Panel
        bare
        title={countOf(trace.steps.length, "step")}
        note={recordedNote(trace)}
        actions={
          superseded > 0 && (
            <Button aria-pressed={older} onClick={() => setOlder(!older)}>
              {older ? "Hide replaced labels" : `Show ${countOf(superseded, "replaced label")}`}
            </Button>
          )
        }
      >
        <LabelMatrix
          steps={trace.steps}
          labels={labels}
          alternatives={trace.alternatives}
          recorded={trace.recorded_ratings}
          recordedFirstError={trace.recorded_first_error}
          raw={raw}
          scores={scores?.steps ? { name: scores.prm.name, scale: scores.scale, steps: scores.steps } : null}
          picked={picked}
          run={run}
        />
      </Panel>
      <Panel bare title="Labels">
        {labels.length > 0 ? (
          <LabelVerdicts labels={labels} />
        ) : (
          <p className={classes.quiet}>Nobody has labeled this trace yet.</p>
        )}
      </Panel>
    </>
  );
}

function TasksOfTrace({ slug, trace }: { slug: string; trace: TraceDetail }) {
  if (trace.tasks.length === 0) return null;
  return (
    <Panel bare title="Tasks">
      <ul className={classes.tasks}>
        {trace.tasks.map((task) => (
          <li key={task.id}>
            <Link to={`/projects/${slug}/tasks/${task.id}`}>Task {task.id}</Link> in{" "}
            {numberedRound(task.round.number, task.round.name)}: {countOf(task.labels.length, "label")}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Metadata({ trace }: { trace: TraceDetail }) {
  const facts = { ...trace.sampling, ...trace.metadata };
  return (
    <Panel bare title="Origin">
      <Facts
        facts={[
          ["Generator", trace.generator || "unknown"],
          ["Source", trace.source || "unknown"],
          ["Split", trace.problem.split.replace("_", " ")],
          ...Object.entries(facts).map(([name, value]): [string, string] => [
            name,
            typeof value === "string" ? value : JSON.stringify(value),
          ]),
        ]}
      />
    </Panel>
  );
}
