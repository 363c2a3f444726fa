/** The texts for a learning curve. Pure. */
import { countOf, formatCount } from "../format";
import { decimal, signed, type Uncertain } from "./estimateWords";

export interface LearningGain {
  more: number;
  gain: Uncertain | null;
  auc: number | null;
  because: "few_points" | "few_problems" | "wide" | null;
}

export interface LearningCurveFacts {
  labels: number;
  problems: number;
  points: { labels: number; auc: Uncertain; baseline: number | null }[];
  gains: LearningGain[];
}

const SILENCE: Record<NonNullable<LearningGain["because"]>, string> = {
  few_points: "the smaller shares have too few steps of each kind to fit a head",
  few_problems: "the curve is measured on too few problems",
  wide: "the interval is wider than 0.1",
};

/** "1,000 more labels: step AUC about 0.742, +0.021 (95 %: +0.004 to +0.038)", or why it cannot be said. */
export function gainWords({ more, gain, auc, because }: LearningGain): string {
  const labels = `${countOf(more, "more label")}: `;
  if (because !== null || gain?.value == null || gain.low === null || gain.high === null || auc === null) {
    return `${labels}cannot be said${because === null ? "" : `, because ${SILENCE[because]}`}`;
  }
  const ends = `95 %: ${signed(gain.low)} to ${signed(gain.high)}`;
  return `${labels}step AUC about ${decimal(auc, 3)}, ${signed(gain.value)} (${ends})`;
}

/**
 * A line for each number of further labels; only one line if nothing can be said about any of them for the same reason.
 */
export function gainLines({ gains }: LearningCurveFacts): string[] {
  const [first, ...others] = gains;
  if (first?.because && others.every(({ because }) => because === first.because)) {
    return [`What more labels would bring cannot be said, because ${SILENCE[first.because]}.`];
  }
  return gains.map(gainWords);
}

/** The curve's conclusion, for a title: whether more labels of the same kind still teach. */
export function learningVerdict({ gains, labels }: LearningCurveFacts): string {
  const known = gains.filter(({ gain }) => gain !== null);
  const last = known[known.length - 1];
  if (last?.gain?.value == null || last.gain.low === null || last.gain.high === null) {
    return "Whether more labels would teach more cannot be said yet";
  }
  const all = formatCount(labels + last.more);
  if (last.gain.low > 0) return `More labels still teach: with ${all} in all, ${signed(last.gain.value)} of step AUC`;
  if (last.gain.high < 0.005) return `More labels like these would teach hardly anything`;
  return `Whether more labels would teach more is open: with ${all} in all, ${signed(last.gain.low)} to ${signed(last.gain.high)}`;
}
