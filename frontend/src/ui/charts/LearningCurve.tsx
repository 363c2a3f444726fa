import type { ReactNode } from "react";
import { Link } from "react-router";
import { countOf, formatCount } from "../format";
import { RelativeTime } from "../RelativeTime";
import { roundWithin } from "../trainingWords";
import { ChartFigure } from "./ChartFigure";
import { decimal, withInterval } from "./estimateWords";
import { type Line, LineChart } from "./LineChart";
import { gainLines, type LearningCurveFacts, learningVerdict } from "./learningWords";
import classes from "./lines.module.css";

interface LearningCurveProps {
  curve: LearningCurveFacts;
  /** The training that made the curve, if the page is not about that training. */
  from?: { to: string; name: string; at: string; atCloseOf: { number: number; name: string } | null };
  /** A note about a newer measurement, above the curve. */
  news?: ReactNode;
}

interface NewestCurveProps {
  slug: string;
  learning: {
    run: number;
    name: string;
    finished_at: string;
    at_close_of: { number: number; name: string } | null;
    curve: LearningCurveFacts;
  };
  news?: ReactNode;
}

export const CURVE_TITLE = "What more labels would teach";

/** A project's newest curve, with the training that made it. */
export function NewestCurve({ slug, learning, news }: NewestCurveProps) {
  const { run, name, finished_at: at, at_close_of: atCloseOf, curve } = learning;
  const from = { to: `/projects/${slug}/prms/runs/${run}`, name: name || `training ${run}`, at, atCloseOf };
  return <LearningCurve curve={curve} from={from} news={news} />;
}

/**
 * How good the head is with a share of its labels, compared with position and length alone, and what more labels would
 * bring.
 */
export function LearningCurve({ curve, from, news }: LearningCurveProps) {
  const auc = (value: number) => decimal(value, 3);
  const lines: Line[] = [
    {
      key: "head",
      name: "the head",
      tone: "focus",
      dots: true,
      points: curve.points.map((point) => ({
        x: point.labels,
        y: point.auc.value ?? 0,
        low: point.auc.low,
        high: point.auc.high,
      })),
    },
    {
      key: "plain",
      name: "position and length alone",
      tone: "line",
      dashed: true,
      points: curve.points.flatMap(({ labels, baseline }) => (baseline === null ? [] : [{ x: labels, y: baseline }])),
    },
  ];
  return (
    <ChartFigure
      title={CURVE_TITLE}
      note={learningVerdict(curve)}
      empty={curve.points.length < 2 ? "Too few labels: no share of them has enough steps of each kind." : undefined}
      table={{
        head: ["Labels", "Step AUC", "Position and length alone"],
        rows: curve.points.map((point) => [
          formatCount(point.labels),
          withInterval(point.auc, auc),
          point.baseline === null ? "n/a" : auc(point.baseline),
        ]),
      }}
    >
      {from && (
        <p className={classes.from}>
          {from.atCloseOf ? `Measured at the close of ${roundWithin(from.atCloseOf)} by` : "As of"}{" "}
          <Link to={from.to}>{from.name}</Link>, <RelativeTime at={from.at} />
        </p>
      )}
      {news}
      <LineChart
        lines={lines}
        xName="labels it was fitted on"
        yName="step AUC"
        formatX={formatCount}
        digits={2}
        summary={`Step AUC by labels: ${curve.points.map((point) => `${formatCount(point.labels)}: ${withInterval(point.auc, auc)}`).join("; ")}`}
      />
      <ul className={classes.gains}>
        {gainLines(curve).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className={classes.basis}>
        Measured on {countOf(curve.problems, "problem")} that a fold left out; bands are 95 % intervals over problems.
        What more labels of the same kind would bring is estimated from the upper part of the curve. Its intervals range
        from a curve that soon flattens to one that keeps rising.
      </p>
    </ChartFigure>
  );
}
