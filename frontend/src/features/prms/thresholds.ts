import type { OperatingPoint, Thresholds } from "@/api/trainingTypes";
import { decimal } from "@/ui/charts/estimateWords";
import { countOf, formatCount, formatPercent } from "@/ui/format";

/** Return why there is no curve; null if there is one. */
export function whyNoCurve({ steps, wrong, points }: Pick<Thresholds, "steps" | "wrong" | "points">): string | null {
  if (points.length > 0) return null;
  if (steps === 0) return "No step in this set was both rated by people and scored by the PRM.";
  const rare = wrong <= steps - wrong ? `${formatCount(wrong)} wrong` : `${formatCount(steps - wrong)} right`;
  return `Of ${countOf(steps, "rated step")}, people found ${rare}. That is too few for a curve: use a set with more of them.`;
}

/** Return enough digits to tell the thresholds of a curve apart: all of a PRM's scores may be between 0.98 and 1. */
export function thresholdDigits(points: OperatingPoint[]): number {
  const span = (points.at(-1)?.threshold ?? 1) - (points[0]?.threshold ?? 0);
  return span > 0 ? Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(span)))) : 2;
}

/** Return the index of the point at a threshold, or of the nearest point. */
export function placeOf(points: OperatingPoint[], threshold: number): number {
  const distance = (point: OperatingPoint | undefined) => Math.abs((point?.threshold ?? 0) - threshold);
  return points.reduce((best, point, place) => (distance(point) < distance(points[best]) ? place : best), 0);
}

/** Return the point with the highest F1 of wrong steps; among equal ones, the one nearest to 1/2. */
export function bestHere(points: OperatingPoint[]): OperatingPoint | undefined {
  const middle = (point: OperatingPoint) => Math.abs(point.threshold - 0.5);
  return points.toSorted((one, other) => other.f1_negative - one.f1_negative || middle(one) - middle(other))[0];
}

/**
 * For each recall, return the point with the highest precision. Others find as many and only raise more false alarms.
 */
export function byRecall(points: OperatingPoint[]): { point: OperatingPoint; precision: number }[] {
  const best = new Map<number, { point: OperatingPoint; precision: number }>();
  for (const point of points) {
    const { precision, recall } = point;
    if (precision !== null && precision > (best.get(recall)?.precision ?? -1)) best.set(recall, { point, precision });
  }
  return [...best.values()].sort((one, other) => one.point.recall - other.point.recall);
}

const share = (value: number | null) => (value === null ? "n/a" : decimal(value));

/** Return what a threshold gives, as lines for a chart's note. */
export function pointLines(point: OperatingPoint, { wrong }: Pick<Thresholds, "wrong">, digits: number): string[] {
  return [
    `judged wrong below ${decimal(point.threshold, digits)}`,
    `precision ${share(point.precision)}: ${formatCount(point.found)} of ${countOf(point.judged_wrong, "step")}`,
    `recall ${share(point.recall)}: ${formatCount(point.found)} of ${countOf(wrong, "step")}`,
    `F1 of wrong steps ${share(point.f1_negative)}`,
    `ProcessBench F1 ${share(point.processbench_f1)}`,
  ];
}

/** Return the same as a sentence or two. */
export function pointWords(point: OperatingPoint, { wrong }: Pick<Thresholds, "wrong">): string {
  const { judged_wrong: judged, found, precision } = point;
  const f1 = `F1 of wrong steps ${share(point.f1_negative)}, ProcessBench F1 ${share(point.processbench_f1)}`;
  if (precision === null) return `No step is judged wrong. ${f1}.`;
  return (
    `${countOf(judged, "step")} judged wrong, ${formatCount(found)} of them correctly (precision ${share(precision)}); ` +
    `found ${formatCount(found)} of ${countOf(wrong, "wrong step")} (recall ${share(point.recall)}). ${f1}.`
  );
}

/** Return the curve as a table, one row per threshold. */
export function pointRows(points: OperatingPoint[], digits: number, marked: Map<number, string>): string[][] {
  return points.map((point) => [
    [decimal(point.threshold, digits), marked.get(point.threshold)].filter(Boolean).join(", "),
    formatCount(point.judged_wrong),
    formatCount(point.found),
    share(point.precision),
    share(point.recall),
    share(point.f1_negative),
    share(point.processbench_f1),
  ]);
}

/** "of 310 rated steps, 44 wrong (14 %)" */
export function baseWords({ steps, wrong }: Pick<Thresholds, "steps" | "wrong">): string {
  return `of ${countOf(steps, "rated step")}, ${formatCount(wrong)} wrong (${formatPercent(wrong, steps)})`;
}
