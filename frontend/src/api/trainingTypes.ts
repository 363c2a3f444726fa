/** The shapes of the HTTP API around training runs, evaluations and the project's selector. */

import type { JobStatus } from "./jobTypes";
import type { PersonRef } from "./projectTypes";
import type { Prm, PrmRef } from "./roundTypes";
import type { Outcome } from "./types";

export type TrainingMethod = "head" | "lora" | "full";
export type TrainingNumbers = "float32" | "bfloat16";
export type TrainingTarget = "steps" | "outcome";
export type TrainingStage = "waiting" | "reading" | "training" | "checking" | "done";

export interface TrainableRound {
  id: number;
  number: number;
  name: string;
  status: string;
  labels: number;
}

export interface TrainingOptions {
  /** As the operator named them. */
  bases: string[];
  rounds: TrainableRound[];
}

export interface TrainingQuestion {
  round_ids: number[];
  switches: Record<string, string>;
}

export interface TrainingPreview {
  labels: number;
  learned: number;
  problems: number;
  steps: number;
  wrong_steps: number;
  in_evaluation_split: number;
  problems_in_evaluation_split: number;
  unfinished: number;
}

export interface NewTrainingRun extends TrainingQuestion {
  name: string;
  base: string;
  method: TrainingMethod;
  target: TrainingTarget;
  seed: number;
  synthetic_errors: number;
  layers: number;
  /** Left out: as the worker's device does best. */
  dtype?: TrainingNumbers;
}

export interface TrainingFigure {
  name: string;
  value: number | null;
  baseline: number | null;
  n: number;
}

export interface TrainingRunSummary {
  id: number;
  name: string;
  status: JobStatus;
  stage: TrainingStage;
  base: string;
  method: TrainingMethod;
  target: TrainingTarget;
  rounds: { id: number; number: number; name: string }[];
  switches: Record<string, string>;
  seed: number;
  synthetic_errors: number;
  layers: number;
  dtype: string;
  labels: number;
  prm: (PrmRef & { status: Prm["status"] }) | null;
  figures: TrainingFigure[];
  error: string;
  cancel_requested: boolean;
  created_by: PersonRef | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface CurvePoint {
  curve: string;
  at: number;
  value: number;
}

export interface TrainingRun extends TrainingRunSummary {
  points: CurvePoint[];
  log: string[];
  data: Record<string, unknown>;
  snapshot_id: string;
  report: unknown;
}

export interface Promotion {
  id: number;
  prm: PrmRef | null;
  before: PrmRef | null;
  by: PersonRef;
  at: string;
  note: string;
}

export type SetSource = "labels" | "recorded";

export interface EvaluationSet {
  id: number;
  name: string;
  source: SetSource;
  traces: number;
  problems: number;
  erroneous: number;
  set_hash: string;
  grader_versions: string[];
  created_by: PersonRef | null;
  created_at: string;
}

export interface RecordedSource {
  source: string;
  traces: number;
  erroneous: number;
}

export interface EvaluationSets {
  results: EvaluationSet[];
  recorded: RecordedSource[];
}

export interface NewEvaluationSet {
  name: string;
  source: SetSource;
  round_ids: number[];
  recorded: string;
}

export interface NewEvaluation {
  prm: number;
  evaluation_set: number;
  threshold: number;
  best_of: number;
}

/** A figure with its 95 % interval; null where it is undefined. */
export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
  n: number;
}

export interface EvaluationFigure extends Estimate {
  name: string;
  baseline: number | null;
  better: boolean | null;
  lower_is_better: boolean;
}

export interface ReliabilityBin {
  low: number;
  high: number;
  score: number | null;
  right: Estimate;
}

export interface EvaluationGroup {
  group: string;
  traces: number;
  problems: number;
  auc: Estimate;
  first_error_accuracy: Estimate;
  processbench_f1: Estimate;
}

export interface BestOfN {
  problems: number;
  traces: number;
  sizes: number[];
  curves: Record<string, Estimate[]>;
}

export interface LengthBin {
  fewest: number;
  most: number;
  n: number;
  median: number;
  correct: number;
}

export interface EvaluationReport {
  traces: number;
  problems: number;
  unscored: Record<string, number>;
  figures: EvaluationFigure[];
  gain: Estimate;
  beats_baseline: boolean | null;
  reliability: ReliabilityBin[];
  groups: Record<"subject" | "level" | "generator", EvaluationGroup[]>;
  best_of_n: BestOfN | null;
  length: { correlation: number | null; bins: LengthBin[] };
}

export interface EvaluationSummary {
  id: number;
  status: JobStatus;
  prm: PrmRef;
  evaluation_set: EvaluationSet;
  threshold: number;
  best_of: number;
  traces_total: number;
  traces_done: number;
  labels_used: number | null;
  auc: Estimate | null;
  beats_baseline: boolean | null;
  error: string;
  created_by: PersonRef | null;
  created_at: string;
  finished_at: string | null;
}

export interface Evaluation extends EvaluationSummary {
  report: EvaluationReport | null;
}

export interface Disagreement {
  trace_id: number;
  problem: string;
  steps: string[];
  outcome: Outcome;
  first_error: number;
  left_scores: number[];
  right_scores: number[];
  distance: number;
}

export interface Comparison {
  left: Evaluation;
  right: Evaluation;
  auc_difference: Estimate;
  disagreements: Disagreement[];
}
