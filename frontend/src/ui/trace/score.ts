/** How a PRM's scores are written and coloured. Pure. */

/** Empty if not known yet; scores are then read as probabilities. */
export type Scale = "probability" | "log_ratio" | "";

/** A step's score; null if the model gave none. */
export type StepScore = number | null;

/** A step's score as a share from 0 (wrong) to 1 (correct); the logistic function is applied to rewards. */
export function stepShare(value: StepScore, scale: Scale): number {
  if (value === null) return 0;
  const share = scale === "log_ratio" ? 1 / (1 + Math.exp(-value)) : value;
  return Math.min(1, Math.max(0, share));
}

/** "0.93", "<0.01", "0.99" for anything not quite 1; rewards with their sign: "−0.4", "+1.2". */
export function formatStepScore(value: StepScore, scale: Scale): string {
  if (value === null) return "n/a";
  if (scale === "log_ratio") {
    const rounded = value.toFixed(1);
    return value < 0 ? rounded.replace("-", "−") : `+${rounded}`;
  }
  if (value > 0 && value < 0.005) return "<0.01";
  if (value < 1 && value >= 0.995) return "0.99";
  return value.toFixed(2);
}

/** The same without the zero before the point, for narrow places: ".93", "1". */
export function formatNarrow(value: StepScore, scale: Scale): string {
  const whole = formatStepScore(value, scale);
  if (scale === "log_ratio") return whole;
  return whole === "1.00" ? "1" : whole.replace("0.", ".");
}

/**
 * A trace's score, given as its log: "0.42", "0.003", "2 × 10⁻⁷". A log above 0 is not a probability and is written as
 * it is.
 */
export function formatTraceScore(log: number): string {
  if (log > 1e-9) return `+${log.toFixed(2)} (log)`;
  const value = Math.exp(log);
  if (value >= 0.995 && value < 1) return "0.99";
  if (value >= 0.01) return value.toFixed(2);
  if (value >= 0.0005) return value.toFixed(3);
  return powerOfTen(log);
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export function superscript(whole: number): string {
  const digits = [...String(Math.abs(whole))].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return whole < 0 ? `⁻${digits}` : digits;
}

function powerOfTen(log: number): string {
  const tens = log / Math.LN10;
  let power = Math.floor(tens);
  let factor = Math.round(10 ** (tens - power));
  if (factor === 10) {
    factor = 1;
    power += 1;
  }
  return factor === 1 ? `10${superscript(power)}` : `${factor} × 10${superscript(power)}`;
}

const SAME = 0.005; // scores closer than this look the same

/** The step with the lowest score, the first of equals; null if there is none or all scores look the same. */
export function lowestStep(scores: readonly StepScore[]): number | null {
  let lowest: number | null = null;
  let [least, most, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  scores.forEach((value, step) => {
    if (value === null) return;
    count += 1;
    most = Math.max(most, value);
    if (value >= least) return;
    lowest = step;
    least = value;
  });
  return count > 1 && most - least < SAME ? null : lowest;
}

/**
 * The CSS colour of a share: orange for wrong, sand, blue for correct; distinguishable with every kind of colour
 * vision.
 */
export function heatColor(share: number): string {
  const [end, part] = share < 0.5 ? ["low", 1 - share * 2] : ["high", share * 2 - 1];
  return `color-mix(in oklab, var(--heat-${end}) ${Math.round(part * 100)}%, var(--heat-middle))`;
}
