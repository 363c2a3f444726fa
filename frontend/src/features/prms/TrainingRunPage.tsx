import { useState } from "react";
import { Link, useParams } from "react-router";
import type { EvaluationSummary, TrainingRun } from "@/api/trainingTypes";
import { useWaiting } from "@/api/waiting";
import { WhileActive } from "@/ui/ActiveProject";
import { Button, ButtonLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { decimal } from "@/ui/charts/estimateWords";
import { FigureRows } from "@/ui/charts/FigureRows";
import { HeatMap } from "@/ui/charts/HeatMap";
import { LearningCurve } from "@/ui/charts/LearningCurve";
import { type Line, LineChart } from "@/ui/charts/LineChart";
import { FIGURES, FIGURES_OF_ANSWERS } from "@/ui/figureWords";
import { countOf, formatCount, formatDateTime } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { StatusMark } from "@/ui/StatusMark";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { TriedAgain } from "@/ui/TriedAgain";
import { askedBy, doingWords, runStanding } from "@/ui/trainingWords";
import { useNow } from "@/ui/useNow";
import { Waiting } from "@/ui/Waiting";
import { CalibrationChart } from "./CalibrationChart";
import { PromoteDialog } from "./PromoteDialog";
import classes from "./prms.module.css";
import { CURVES, estimateWords, METHODS, switchFact, TARGETS } from "./prmWords";
import { isOver, useCancelTrainingRun, useEvaluations, useSelects, useTrainingRun } from "./queries";
import { calibrationNews, type ProgressFacts, reportFacts, type Try } from "./trainingReport";

/** One training: its curves while it learns, its log, and its result. */
export function TrainingRunPage() {
  const { slug = "", runId } = useParams();
  const run = useTrainingRun(Number(runId));
  return (
    <>
      <PageHeading
        title={run.data?.name || `Training ${runId}`}
        actions={run.data && <Actions slug={slug} run={run.data} />}
      >
        {run.data && <JobMark status={run.data.status} />}
      </PageHeading>
      {run.isPending && <SkeletonLines lines={8} />}
      {run.isError && !run.data && <ErrorState inline error={run.error} retry={() => void run.refetch()} />}
      {run.data && <Body slug={slug} run={run.data} />}
    </>
  );
}

function Body({ slug, run }: { slug: string; run: TrainingRun }) {
  const report = reportFacts(run.report);
  const worse = calibrationNews(report.calibration);
  return (
    <>
      <Standing run={run} />
      {run.figures.length > 0 && <Result run={run} beats={report.beatsBaseline} measuredOn={report.measuredOn} />}
      {report.progress && <Progress said={report.progress} />}
      {worse && (
        <Notice tone="warn" title="Calibration made its probabilities worse">
          {worse}
        </Notice>
      )}
      <div className={classes.charts}>
        <Curves run={run} names={["loss", "validation_loss"]} title="Loss" />
        {report.tried.length > 0 ? (
          <Tried tried={report.tried} />
        ) : (
          <Curves run={run} names={["validation_auc"]} title="Step AUC on validation problems" />
        )}
        {report.calibration && <CalibrationChart calibration={report.calibration} />}
        {run.learning_curve && <LearningCurve curve={run.learning_curve} />}
      </div>
      {run.prm && <Evaluations slug={slug} prm={run.prm.id} />}
      <Log run={run} />
      <Panel title="How it was made">
        <Facts
          facts={[
            ["Rounds", run.rounds.map((round) => round.name || `Round ${round.number}`).join(", ")],
            ["Labels", run.labels ? countOf(run.labels, "label") : "not chosen yet"],
            ["Base", run.base],
            ["Method", METHODS.find(({ value }) => value === run.method)?.name ?? run.method],
            ["Predicts", TARGETS.find(({ value }) => value === run.target)?.name ?? run.target],
            ...(run.synthetic_errors > 0
              ? [["Wrong steps made", `${run.synthetic_errors} for each right one`] satisfies [string, string]]
              : []),
            ...run.sources.map(({ name, weight }): [string, string] =>
              run.target === "progress"
                ? ["Progress measured by", name]
                : ["Also taught by", `${name}; a step weighs ${weight}`],
            ),
            ...(run.layers > 0 ? [["Layers kept", `the lowest ${run.layers}`] satisfies [string, string]] : []),
            ...(run.dtype ? [["Numbers", run.dtype] satisfies [string, string]] : []),
            ["Seed", String(run.seed)],
            ["Asked by", askedBy(run)],
            ["Asked", formatDateTime(run.created_at)],
            ["Finished", run.finished_at ? formatDateTime(run.finished_at) : "not yet"],
            ...Object.entries(run.switches).map(([name, value]) => switchFact(name, value)),
            ["Snapshot of the labels", run.snapshot_id || "not taken yet"],
          ]}
        />
      </Panel>
    </>
  );
}

/** How well the second head predicts what steps changed, on problems it had not seen. */
function Progress({ said }: { said: ProgressFacts }) {
  const number = (value: number | null) => (value === null ? "n/a" : decimal(value));
  const ends =
    said.low === null || said.high === null ? "95 %: n/a" : `95 %: ${decimal(said.low)} to ${decimal(said.high)}`;
  return (
    <Panel
      title="The second head: progress"
      note="How much a step changes a completer’s chance of success, which is not the same as correctness. Measured on the problems that each fold left out. Intervals are over problems."
    >
      <Facts
        facts={[
          ["Correlation with the rollouts", `${number(said.correlation)}, ${ends}`],
          ["Position and length alone", number(said.baseline)],
          ["Typical error", `${number(said.error)}; always predicting the mean: ${number(said.errorOfMean)}`],
          ["Measured on", `${countOf(said.steps, "step")} of ${countOf(said.problems, "problem")}`],
        ]}
      />
    </Panel>
  );
}

function Standing({ run }: { run: TrainingRun }) {
  if (!isOver(run)) {
    return (
      <Panel>
        <TriedAgain error={run.error} />
        <Running run={run} />
      </Panel>
    );
  }
  // Green means that the PRM learned something, not that the training ended.
  const good = run.status === "succeeded" && reportFacts(run.report).beatsBaseline === true;
  const tone = run.status === "failed" ? "bad" : good ? "good" : "info";
  return <Notice tone={tone} title={runStanding(run)} />;
}

function Running({ run }: { run: TrainingRun }) {
  const now = useNow(1_000);
  const ahead = useWaiting("trainingrun", run.id, run.status === "queued");
  const { doing } = run;
  if (!doing || run.cancel_requested) {
    return (
      <div className={classes.running}>
        <ProgressLine label="Training" done={0} total={run.status === "queued" ? 1 : null} />
        <span aria-live="polite">
          {run.status === "queued" ? <Waiting on={ahead} queue="gpu" /> : runStanding(run)}
        </span>
      </div>
    );
  }
  const { does, counts } = doingWords(doing, now);
  return (
    <div className={classes.running}>
      <ProgressLine label={does} done={doing.done} total={doing.total > 0 ? doing.total : null} />
      <div className={classes.doing}>
        <span aria-live="polite">{does}</span>
        <span className={classes.counts}>{counts}</span>
      </div>
    </div>
  );
}

function Result({ run, beats, measuredOn }: { run: TrainingRun; beats: boolean | null; measuredOn: string }) {
  const ofAnswers = run.target === "outcome";
  const figures = ofAnswers ? FIGURES_OF_ANSWERS : FIGURES;
  const sees = ofAnswers ? "how many steps a trace has and how long the last one is" : "a step’s position and length";
  return (
    <Panel
      title="What it learned"
      note={`Measured on ${measuredOn}, next to a baseline that sees only ${sees}. Intervals are over problems. An evaluation tells you more.`}
    >
      {beats === false && (
        <Notice tone="warn" title="It does not beat the baseline">
          {ofAnswers
            ? "The number of steps and the length of the last one alone predict the answer as well."
            : "A step’s position and length alone predict as well."}{" "}
          More labels help most.
        </Notice>
      )}
      <FigureRows
        baselineName="position and length alone"
        rows={run.figures.map((figure) => ({
          key: figure.name,
          name: figures[figure.name]?.name ?? figure.name,
          means: figures[figure.name]?.means ?? "",
          value: figure.value,
          low: figure.low,
          high: figure.high,
          clusters: figure.clusters,
          no_interval: figure.no_interval,
          baseline: figure.baseline,
          tone: figure.value !== null && figure.baseline !== null && figure.value > figure.baseline ? "plus" : "warn",
          note: `${figure.baseline === null ? "" : `baseline ${figure.baseline.toFixed(3)} · `}${countOf(figure.n, ofAnswers ? "trace" : "step")}`,
        }))}
      />
    </Panel>
  );
}

/** What was tried for the head: each layer with each strength of regularisation. The best one was chosen. */
function Tried({ tried }: { tried: Try[] }) {
  const layers = [...new Set(tried.map((one) => one.layer))].sort((one, other) => one - other);
  const strengths = [...new Set(tried.map((one) => one.l2))].sort((one, other) => one - other);
  const known = tried.map((one) => one.auc);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const at = (layer: number | undefined, l2: number | undefined) =>
    tried.find((one) => one.layer === layer && one.l2 === l2)?.auc;
  return (
    <ChartFigure
      title="Step AUC on validation problems"
      note="rows are layers, columns are strengths of the regularisation; the best was chosen"
      table={{
        head: ["Layer", "Strength", "Step AUC"],
        rows: tried.map((one) => [one.layer, one.l2, one.auc.toFixed(4)]),
      }}
    >
      <HeatMap
        label="Step AUC by layer and strength"
        rows={layers.map((layer) => `layer ${layer}`)}
        columns={strengths.map(String)}
        cell={(row, column) => {
          const auc = at(layers[row], strengths[column]);
          if (auc === undefined) return null;
          return {
            text: auc.toFixed(3),
            strength: most === least ? 0.5 : 0.1 + (0.9 * (auc - least)) / (most - least),
            says: `Layer ${layers[row]}, strength ${strengths[column]}: step AUC ${auc.toFixed(3)}`,
          };
        }}
      />
    </ChartFigure>
  );
}

function Curves({ run, names, title }: { run: TrainingRun; names: string[]; title: string }) {
  const lines: Line[] = names.flatMap((name) => {
    const points = run.points.filter((point) => point.curve === name).map(({ at, value }) => ({ x: at, y: value }));
    const words = CURVES[name];
    return points.length > 0 && words ? [{ key: name, ...words, points, dots: points.length < 12 }] : [];
  });
  if (lines.length === 0) return null;
  const tries = run.method === "head" || run.method === "stacked";
  return (
    <ChartFigure
      title={title}
      note={tries ? "for each layer and strength (or pair of strengths) that was tried" : "during training"}
      table={{
        head: [tries ? "Try" : "Step", ...lines.map((line) => line.name)],
        rows: (lines[0]?.points ?? []).map((point) => [
          formatCount(point.x),
          ...lines.map((line) => line.points.find((one) => one.x === point.x)?.y.toFixed(4) ?? "–"),
        ]),
      }}
    >
      <LineChart
        lines={lines}
        xName={tries ? "try" : "step"}
        yName={title}
        formatX={formatCount}
        digits={3}
        summary={`${title}: ${lines.map((line) => `${line.name} ended at ${line.points.at(-1)?.y.toFixed(3)}`).join(", ")}`}
      />
    </ChartFigure>
  );
}

function Evaluations({ slug, prm }: { slug: string; prm: number }) {
  const evaluations = useEvaluations(slug, { prm });
  return (
    <Panel
      title="Evaluations"
      actions={<ButtonLink to={`/projects/${slug}/evaluations?prm=${prm}`}>Evaluate it</ButtonLink>}
    >
      {evaluations.rows?.length === 0 && (
        <p className={classes.quiet}>
          Not evaluated yet. Evaluate it on a set that no training learned from to see how good it is.
        </p>
      )}
      <ul className={classes.plain}>
        {evaluations.rows?.map((one) => (
          <li key={one.id}>
            <Link to={`/projects/${slug}/evaluations/${one.id}`}>{one.evaluation_set.name}</Link>
            <span> {evaluationWords(one)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function evaluationWords(one: EvaluationSummary): string {
  if (one.status !== "succeeded") return one.status;
  const beats = { true: "beats the baseline", false: "does not beat the baseline", null: "" }[
    String(one.beats_baseline)
  ];
  return [`step AUC ${estimateWords(one.auc)}`, beats].filter(Boolean).join(" · ");
}

function Log({ run }: { run: TrainingRun }) {
  return (
    <Panel title="Log">
      {run.log.length === 0 ? (
        <p className={classes.quiet}>Nothing yet. The log starts when a worker takes the run.</p>
      ) : (
        <ol className={classes.log} aria-live="polite">
          {run.log.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its place
            <li key={index}>{line}</li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function Actions({ slug, run }: { slug: string; run: TrainingRun }) {
  const cancel = useCancelTrainingRun(slug, run.id);
  const [asking, setAsking] = useState<"cancel" | "promote" | null>(null);
  const prm = run.prm;
  const selects = useSelects(slug, prm?.id);
  const evaluations = useEvaluations(slug, prm ? { prm: prm.id } : {});
  const measured = evaluations.rows?.some((one) => one.status === "succeeded" && one.beats_baseline) ?? false;
  return (
    <>
      <ButtonLink to={`/projects/${slug}/prms`}>PRMs</ButtonLink>
      {!isOver(run) && !run.cancel_requested && <Button onClick={() => setAsking("cancel")}>Stop</Button>}
      {selects && <StatusMark tone="good">selector</StatusMark>}
      {prm?.status === "ready" && run.target !== "outcome" && selects === false && (
        <WhileActive>
          <Button kind={measured ? "primary" : "default"} onClick={() => setAsking("promote")}>
            Promote
          </Button>
        </WhileActive>
      )}
      <ConfirmDialog
        opened={asking === "cancel"}
        title="Stop this training?"
        confirm="Stop it"
        danger
        onConfirm={() => cancel.mutateAsync()}
        onClose={() => setAsking(null)}
      >
        It will not make a PRM. The hidden states it has read stay in the cache, so the next training is faster.
      </ConfirmDialog>
      <PromoteDialog
        slug={slug}
        prm={prm}
        opened={asking === "promote"}
        learnedNothing={reportFacts(run.report).beatsBaseline === false}
        onClose={() => setAsking(null)}
      />
    </>
  );
}
