/** What the pages read of a trainer's own report; the rest of it is for the checkpoint's card. */

export interface CalibrationBin {
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
  before: CalibrationPart;
  after: CalibrationPart;
}

export interface ReportFacts {
  measuredOn: string;
  beatsBaseline: boolean | null;
  calibration: Calibration | null;
}

const MEASURED_ON: Record<string, string> = {
  test: "test problems of its own",
  validation: "validation problems",
  "cross-validation": "problems left out in turn (there are few labels)",
};

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Anything may be missing: a report is as old as the trainer that wrote it. */
export function reportFacts(report: unknown): ReportFacts {
  const found = record(report);
  const meta = record(found.meta);
  const calibration = record(meta.calibration);
  const complete = Array.isArray(record(calibration.before).bins) && Array.isArray(record(calibration.after).bins);
  return {
    measuredOn: MEASURED_ON[String(found.measured_on)] ?? "problems of its own",
    beatsBaseline: typeof meta.beats_baseline === "boolean" ? meta.beats_baseline : null,
    calibration: complete ? (calibration as unknown as Calibration) : null,
  };
}
