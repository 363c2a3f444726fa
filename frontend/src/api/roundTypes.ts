/**
 * The shapes of the HTTP API around rounds that workers carry: PRMs, the pool, progress, what was selected, the report;
 * and gradings. Plain rounds are in `projectTypes.ts`.
 */

import type { TimeSpent } from "./deskTypes";
import type { PersonRef, Round, TraceFilter } from "./projectTypes";
import type { components } from "./schema";
import type { Outcome } from "./types";

export interface PrmRef {
  id: number;
  name: string;
}

/** How a PRM's numbers are to be read: P(step correct), or rewards without bounds. */
export type ScoreScale = "probability" | "log_ratio";

export interface Prm extends PrmRef {
  family: string;
  base: string;
  dtype: string;
  aggregation: string;
  /** Empty until a worker has looked at it. */
  scale: ScoreScale | "";
  status: "unchecked" | "ready" | "faulty" | "retired";
  error: string;
  checksum: string;
  fingerprint: string;
  /** It is asked over the network; its weights are not read here. */
  server: boolean;
  /** Traces of this project that it has scored. */
  scored: number;
  /** The training run of this project that made it. */
  run: number | null;
  labels_used: number | null;
  target: "steps" | "outcome";
  /** A person made it the one that rounds are offered first. */
  selector: boolean;
}

export interface Generator {
  name: string;
  /** Empty: any. */
  models: string[];
}

/** A prompt template of the product's own. */
export interface NamedPrompt {
  name: string;
  template: string;
}

export interface Generators {
  results: Generator[];
  prompts: NamedPrompt[];
}

export type SplitterKind = "blank_line" | "newline" | "numbered" | "step" | "custom";

export interface Splitter {
  kind: SplitterKind;
  pattern: string;
}

export interface SplitPreview {
  steps: string[];
  version: string;
}

/** How new traces are made before they are graded and scored. */
export interface Generate {
  generator: string;
  model: string;
  prompt: string;
  temperature: number;
  top_p: number;
  n: number;
  max_tokens: number;
  stop: string[];
  seed: number;
  splitter: Splitter;
}

export type SelectionMode = "per_problem" | "global";

/** Which traces of the scored pool go to labelers. */
export interface SelectionRules {
  mode: SelectionMode;
  k: number;
  ratio: number;
  per_problem_cap: number | null;
  budget: number | null;
  control_share: number;
  seed: number;
}

/** The part of a staged round that decides how many traces it can draw from. */
export interface PoolQuestion extends SelectionRules {
  filter: TraceFilter;
  prm: number | null;
  grade: boolean;
  rescore: number;
  generate: Generate | null;
}

export interface PoolCountQuestion extends PoolQuestion {
  /** A round that chooses anew: its own tasks do not count as queued. */
  round?: number;
}

export interface NewStagedRound extends PoolQuestion {
  name: string;
  overlap: number;
  overlap_most: number;
  overlap_needed: number;
  priority: number;
  /** Names this press of the button: sent twice, it starts one round. */
  client_key: string;
}

export interface PoolCount {
  problems: number;
  traces: number;
  correct: number;
  wrong: number;
  ungraded: number;
  scored: number;
  unscored: number;
  queued: number;
  /** Scaled up from a sample of the problems. */
  approximate: boolean;
  /** What a generator would be asked to write before; none of it is counted yet. */
  samples: number;
  expected: { selected: number; wrong: number; rest: number; control: number; shortfall: number };
  warnings: { code: string; text: string }[];
}

/** One stage: its words are the server's, as the stages are. */
export type StageProgress = components["schemas"]["StageOut"];
export type StageState = StageProgress["state"];

/** What came of a generator's samples: traces, and what was dropped, by reason. */
export interface SampleCounts {
  samples: number;
  kept: number;
  dropped: Record<string, number>;
}

export interface RoundProgress {
  status: Round["status"];
  working: boolean;
  stages: StageProgress[];
  /** Null where no traces are generated. */
  samples: SampleCounts | null;
  error: string;
}

/** Why a trace is in a round. */
export type SelectionReason = "convincing_wrong" | "convincing_rest" | "control" | "random";

export interface ScoreHistogram {
  /** Logs of scores; the first bin also holds everything below it. */
  edges: number[];
  pool_correct: number[];
  pool_wrong: number[];
  selected: number[];
  control: number[];
}

/** What was selected and left out: frozen with the round. */
export interface SelectionSummary {
  chosen: Partial<Record<SelectionReason, number>>;
  dropped: Record<string, number>;
  shortfall: number;
  fell_back_to_random: boolean;
  pool: {
    problems: number;
    traces: number;
    correct: number;
    wrong: number;
    ungraded: number;
    unscored: number;
    queued: number;
  };
  /** Null where nothing is scored. */
  histogram: ScoreHistogram | null;
  /** [chosen of a problem, problems] */
  per_problem: number[][];
  median: { selected: number | null; pool: number | null; control: number | null };
  seconds: number;
}

export interface SampleTrace {
  task_id: number;
  trace_id: number;
  reason: SelectionReason;
  rank: number | null;
  score: number | null;
  outcome: Outcome;
  problem_text: string;
  steps: string[];
  step_scores: (number | null)[] | null;
  final_answer: string | null;
}

export interface Selection extends SelectionSummary {
  sample: SampleTrace[];
}

export interface Yield {
  n: number;
  found: number;
  share: number | null;
  low: number | null;
  high: number | null;
}

interface Part {
  n: number;
  of: number;
  share: number | null;
}

/** What a round was worth. Figures by arm: why a trace is in the round, plain rounds included. */
export interface RoundReport {
  tasks: Record<string, number>;
  labels: { submitted: number; surplus: number };
  /** By arm and by how the task was finished. */
  finished: Record<string, Record<string, number>>;
  yield: Record<string, Yield>;
  false_alarms: Part;
  median_score: { selected: number | null; pool: number | null; control: number | null };
  prm_misses: Part;
  localisation: {
    n: number;
    exact: number | null;
    within_1: number | null;
    mean_distance: number | null;
    /** Errors in traces of which the PRM holds no step for wrong. */
    no_low_step: number;
  };
  dropped: Record<string, number>;
  shortfall: number;
  give_up_rate: number | null;
  bad_problem_rate: number | null;
  active_minutes_per_error: number | null;
  /** Null in a report that was frozen before it was counted. */
  time: TimeSpent | null;
  label_mix: Record<string, number>;
  by_day: (string | number)[][];
}

/** A round with its report, side by side with others. */
export interface ReportedRound {
  round: Pick<Round, "id" | "number" | "name" | "status"> & { prm: PrmRef | null };
  report: RoundReport;
}

/** What one PRM says of one trace. */
export interface TraceScores {
  prm: PrmRef;
  scale: ScoreScale | "";
  /** A step is null where its number is none that JSON holds. */
  steps: (number | null)[] | null;
  /** The log of the trace's score; null also for the log of 0. */
  score: number | null;
  reason: string;
  exact: boolean;
}

/** `problem`: the traces of one problem, whose answer was corrected; started by that alone. */
export type GradingScope = "all" | "ungraded" | "outdated" | "problem";

export interface Grading {
  id: number;
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  stage: "grading" | "applying";
  scope: GradingScope;
  answer_kind: string;
  answer_tolerance: number;
  grader_version: string;
  traces_total: number;
  traces_done: number;
  /** Of what was found so far. */
  counts: Record<Outcome, number>;
  differences: number;
  /** Differences that applying passes over: the import's outcome stays. */
  kept: number;
  can_apply: boolean;
  /** Of applying it. */
  changed: number;
  /** Traces that somebody else changed since they were graded. */
  skipped: number;
  error: string;
  created_at: string;
  created_by: PersonRef | null;
  finished_at: string | null;
  applied_at: string | null;
  applied_by: PersonRef | null;
}

/** A trace whose outcome a grading would change. */
export interface GradingDifference {
  trace_id: number;
  problem: { id: number; external_id: string; text: string; answer: string | null };
  outcome_before: Outcome;
  outcome: Outcome;
  kept: boolean;
  /** The grader's word for why. */
  reason: string;
  /** Which rule found the answer, and the answer it found. */
  rule: string;
  answer: string;
}
