import { useState } from "react";
import type { Evaluation, OperatingPoint, Thresholds } from "@/api/trainingTypes";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { decimal } from "@/ui/charts/estimateWords";
import { figureWords } from "@/ui/charts/FigureRows";
import { type Line, LineChart, type Upright } from "@/ui/charts/LineChart";
import { EvaluateAgain } from "./EvaluateAgain";
import {
  baseWords,
  bestHere,
  byRecall,
  placeOf,
  pointLines,
  pointRows,
  pointWords,
  thresholdDigits,
  whyNoCurve,
} from "./thresholds";
import classes from "./thresholds.module.css";

const TITLE = "Precision and recall of wrong steps";
const HEAD = [
  "Judged wrong below",
  "Steps",
  "Correctly",
  "Precision",
  "Recall",
  "F1 of wrong steps",
  "ProcessBench F1",
];

/** What each threshold would give, marking the one in use and the one chosen on validation labels. */
export function ThresholdChart({ slug, evaluation }: { slug: string; evaluation: Evaluation }) {
  const { report } = evaluation;
  if (!report) return null;
  if (!report.thresholds) return <Older slug={slug} evaluation={evaluation} />;
  const why = whyNoCurve(report.thresholds);
  if (why !== null) {
    return (
      <ChartFigure title={TITLE} empty={why} table={{ head: [], rows: [] }}>
        {null}
      </ChartFigure>
    );
  }
  return <Curve evaluation={evaluation} thresholds={report.thresholds} />;
}

function Older({ slug, evaluation }: { slug: string; evaluation: Evaluation }) {
  return (
    <section className={classes.older} aria-label={TITLE}>
      <h2>{TITLE}</h2>
      <p>
        This evaluation was made before curves were kept. Evaluate the PRM again to get one. The existing scores are
        reused.
      </p>
      <EvaluateAgain slug={slug} evaluation={evaluation} at={evaluation.threshold}>
        Evaluate again
      </EvaluateAgain>
    </section>
  );
}

interface Operating {
  key: string;
  /** Shown next to its threshold, in the legend and in the table. */
  name: string;
  tone: "warn" | "minus";
  point: OperatingPoint;
}

/** Return the threshold in use and, if it differs, the one chosen on validation labels. */
function operatingPoints({ threshold, advised_threshold: advised }: Evaluation, points: OperatingPoint[]): Operating[] {
  const at = (value: number) => points[placeOf(points, value)] as OperatingPoint;
  const used: Operating = { key: "used", name: "in use", tone: "warn", point: at(threshold) };
  if (advised === null) return [used];
  if (at(advised) === used.point) return [{ ...used, name: "in use, and best on validation labels" }];
  return [used, { key: "advised", name: "best on validation labels", tone: "minus", point: at(advised) }];
}

function Curve({ evaluation, thresholds }: { evaluation: Evaluation; thresholds: Thresholds }) {
  const { points } = thresholds;
  const operating = operatingPoints(evaluation, points);
  const digits = thresholdDigits(points);
  const [place, setPlace] = useState(() => placeOf(points, evaluation.threshold));
  const looked = points[place] as OperatingPoint;
  const others = operating.filter((one) => one.point !== looked);
  const here = operating.find((one) => one.point === looked);
  const lookedName = here ? `Looked at, ${here.name}` : "Looked at";
  const marked = new Map(operating.map((one) => [one.point.threshold, one.name]));
  const figure = evaluation.report?.figures.find((one) => one.name === "average_precision");
  const plain = figure?.baseline == null ? "" : `; position and length alone ${decimal(figure.baseline, 3)}`;
  return (
    <ChartFigure
      title={TITLE}
      note={`average precision ${figure ? figureWords(figure) : "n/a"}${plain}; ${baseWords(thresholds)}`}
      table={{ head: HEAD, rows: pointRows(points, digits, marked) }}
    >
      <div className={classes.pair}>
        <div>
          <p className={classes.name}>Precision over recall</p>
          <ByRecall thresholds={thresholds} operating={operating} looked={looked} digits={digits} />
        </div>
        <div>
          <p className={classes.name}>By threshold</p>
          <ByThreshold thresholds={thresholds} operating={operating} looked={looked} digits={digits} />
        </div>
      </div>
      <label className={classes.slider}>
        <span>Look at a threshold</span>
        <input
          type="range"
          min={0}
          max={points.length - 1}
          value={place}
          onChange={(event) => setPlace(Number(event.target.value))}
          aria-valuetext={`below ${decimal(looked.threshold, digits)}: ${pointWords(looked, thresholds)}`}
        />
      </label>
      <dl className={classes.said}>
        <PointInWords name={lookedName} point={looked} thresholds={thresholds} digits={digits} />
        {others.map((one) => (
          <PointInWords
            key={one.key}
            name={capital(one.name)}
            point={one.point}
            thresholds={thresholds}
            digits={digits}
          />
        ))}
      </dl>
      <Advice evaluation={evaluation} points={points} digits={digits} />
    </ChartFigure>
  );
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

interface PointProps {
  name: string;
  point: OperatingPoint;
  thresholds: Thresholds;
  digits: number;
}

function PointInWords({ name, point, thresholds, digits }: PointProps) {
  return (
    <div>
      <dt>{`${name}: below ${decimal(point.threshold, digits)}`}</dt>
      <dd>{pointWords(point, thresholds)}</dd>
    </div>
  );
}

/** What a threshold may be chosen by: never by the set that it is measured on. */
function Advice({ evaluation, points, digits }: { evaluation: Evaluation; points: OperatingPoint[]; digits: number }) {
  const best = bestHere(points);
  return (
    <p className={classes.advice}>
      {evaluation.advised_threshold === null
        ? "No threshold chosen on validation labels is known for it. "
        : "The threshold that is best on validation labels was chosen during its training, which saw nothing of this set. "}
      {best &&
        `The highest F1 of wrong steps here is ${decimal(best.f1_negative)}, at ${decimal(best.threshold, digits)}. It was chosen on the same steps it is measured on, so expect less on others.`}
    </p>
  );
}

interface ChartProps {
  thresholds: Thresholds;
  operating: Operating[];
  looked: OperatingPoint;
  digits: number;
}

/** Precision over recall, next to what chance, and position and length alone, achieve. */
function ByRecall({ thresholds, operating, looked, digits }: ChartProps) {
  const best = byRecall(thresholds.points);
  const dot = (point: OperatingPoint) => (point.precision === null ? [] : [{ x: point.recall, y: point.precision }]);
  const named = (one: Operating): Line => ({
    key: one.key,
    name: `${one.name}: ${decimal(one.point.threshold, digits)}`,
    tone: one.tone,
    loose: true,
    points: dot(one.point),
  });
  const lines: Line[] = [
    {
      key: "prm",
      name: "the PRM",
      tone: "focus",
      points: best.map(({ point, precision }) => ({ x: point.recall, y: precision })),
    },
    {
      key: "plain",
      name: "position and length alone",
      tone: "line",
      dashed: true,
      points: thresholds.baseline.map(({ recall, precision }) => ({ x: recall, y: precision })),
    },
    { key: "coin", name: "random guessing", tone: "zero", dashed: true, points: [], level: thresholds.base_rate ?? 0 },
    { key: "looked", name: "looked at", tone: "focus", loose: true, points: dot(looked) },
    ...operating.map(named),
  ];
  return (
    <LineChart
      lines={lines}
      xName="recall: wrong steps found"
      yName="precision: judged wrong that are wrong"
      xRange={[0, 1]}
      yRange={[0, 1]}
      digits={1}
      tell={(x) =>
        best.filter(({ point }) => point.recall === x).flatMap(({ point }) => pointLines(point, thresholds, digits))
      }
      summary={`Precision over recall of wrong steps; random guessing gets ${decimal(thresholds.base_rate ?? 0)}. The numbers are in the table below.`}
    />
  );
}

/** The same by threshold, with ProcessBench F1 of whole traces. */
function ByThreshold({ thresholds, operating, looked, digits }: ChartProps) {
  const { points } = thresholds;
  const line = (key: string, name: string, tone: Line["tone"], of: (point: OperatingPoint) => number | null): Line => ({
    key,
    name,
    tone,
    points: points.flatMap((point) => {
      const y = of(point);
      return y === null ? [] : [{ x: point.threshold, y }];
    }),
  });
  const uprights: Upright[] = [
    { key: "looked", name: "looked at", tone: "line", x: looked.threshold },
    ...operating.map(({ key, name, tone, point }) => ({ key, name, tone, x: point.threshold })),
  ];
  return (
    <LineChart
      lines={[
        line("recall", "recall", "plus", (point) => point.recall),
        line("precision", "precision", "focus", (point) => point.precision),
        line("f1", "F1 of wrong steps", "zero", (point) => point.f1_negative),
        { ...line("traces", "ProcessBench F1", "zero", (point) => point.processbench_f1), dashed: true },
      ]}
      uprights={uprights}
      xName="judged wrong below"
      yName="value at each threshold"
      xRange={[points[0]?.threshold ?? 0, points.at(-1)?.threshold ?? 1]}
      yRange={[0, 1]}
      digits={1}
      tell={(x) =>
        points.filter((point) => point.threshold === x).flatMap((point) => pointLines(point, thresholds, digits))
      }
      summary={`Precision, recall and F1 of wrong steps and ProcessBench F1 for ${points.length} thresholds. The numbers are in the table below.`}
    />
  );
}
