/** The parts of a trainer's own report that the pages read. The rest is for the checkpoint's card. */

interface CalibrationBin {
  low: number;
  high: number;
  steps: number;
  said: number;
  right: number;
}

export interface CalibrationPart {
  ece: number;
  brier: number;
  bins: CalibrationBin[];
}

export interface Calibration {
  temperature: number;
  measured_on?: string;
  before: CalibrationPart;
  after: CalibrationPart;
}

/** One head that was tried: its layer, its strength of regularisation, and how good it was on validation problems. */
export interface Try {
  layer: number;
  l2: number;
  auc: number;
}

/** The figures of a second head for progress, as measured by rollouts. */
export interface ProgressFacts {
  correlation: number | null;
  low: number | null;
  high: number | null;
  baseline: number | null;
  error: number | null;
  errorOfMean: number | null;
  steps: number;
  problems: number;
}

interface ReportFacts {
  tried: Try[];
  measuredOn: string;
  beatsBaseline: boolean | null;
  calibration: Calibration | null;
  progress: ProgressFacts | null;
}

const MEASURED_ON: Record<string, string> = {
  test: "its own test problems",
  validation: "validation problems",
  "cross-validation": "problems left out in turn (because there are few labels)",
};

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function triedOf(value: unknown): Try[] {
  const rows = Array.isArray(value) ? value.map(record) : [];
  return rows.flatMap(({ layer, l2, validation_auc: auc }) =>
    typeof layer === "number" && typeof l2 === "number" && typeof auc === "number" ? [{ layer, l2, auc }] : [],
  );
}

function progressOf(value: unknown): ProgressFacts | null {
  const found = record(value);
  const number = (one: unknown) => (typeof one === "number" ? one : null);
  if (number(found.steps) === null) return null;
  return {
    correlation: number(found.correlation),
    low: number(found.low),
    high: number(found.high),
    baseline: number(found.correlation_position_and_length_only),
    error: number(found.rmse),
    errorOfMean: number(found.rmse_of_the_mean),
    steps: number(found.steps) ?? 0,
    problems: number(found.problems) ?? 0,
  };
}

/**
 * Return a note if its probabilities were better before calibration, on problems it was not fitted on; otherwise null.
 */
export function calibrationNews(calibration: Calibration | null): string | null {
  if (!calibration) return null;
  const [before, after] = [calibration.before.ece, calibration.after.ece];
  if (!(after > before) || after.toFixed(3) === before.toFixed(3)) return null;
  const where = MEASURED_ON[calibration.measured_on ?? ""] ?? "its own problems";
  return `On ${where}, its calibration error is ${after.toFixed(3)} with calibration and ${before.toFixed(3)} without. The order of steps does not change, but treat its probabilities, and thresholds on them, with care.`;
}

/** Any part may be missing: a report is as old as the trainer that wrote it. */
export function reportFacts(report: unknown): ReportFacts {
  const found = record(report);
  const meta = record(found.meta);
  const calibration = record(meta.calibration);
  const complete = Array.isArray(record(calibration.before).bins) && Array.isArray(record(calibration.after).bins);
  return {
    tried: triedOf(meta.tried),
    measuredOn: MEASURED_ON[String(found.measured_on)] ?? "its own problems",
    beatsBaseline: typeof meta.beats_baseline === "boolean" ? meta.beats_baseline : null,
    calibration: complete ? (calibration as unknown as Calibration) : null,
    progress: progressOf(meta.progress),
  };
}
