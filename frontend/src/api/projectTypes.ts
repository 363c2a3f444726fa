/**
 * The shapes of the HTTP API around a project: its settings and people, problems and traces, rounds and tasks.
 * Imports and exports are in `jobTypes.ts`. What the labeling page sends and receives is in `types.ts`.
 */

import type { components } from "./schema";
import type {
  Confirmation,
  FinishReason,
  LabelStatus,
  LabelSummary,
  Mistake,
  Outcome,
  Rating,
  Report,
  Role,
  RoundRef,
  StepComment,
} from "./types";

/** How final answers are compared when they are graded. */
export type AnswerKind = "maths" | "exact" | "choice" | "numeric" | "none";

export interface Project {
  slug: string;
  name: string;
  description: string;
  status: "active" | "archived";
  /** The asking person's own role. */
  role: Role;
  default_overlap: number;
  /** 0, as the next one: the overlap is fixed. */
  default_overlap_most: number;
  default_overlap_needed: number;
  lease_minutes: number;
  revise_window_hours: number;
  reference_solution: boolean;
  /** Labelers may see a trace's scores once they have submitted their label. */
  reveal_scores: boolean;
  session_traces: number;
  stalled_hours: number;
  /** A decimal number as text: money is not rounded in between. */
  hourly_rate: string | null;
  currency: string;
  answer_kind: AnswerKind;
  /** A share of the true value, for answers that are numbers. */
  answer_tolerance: number;
  /** Gold tasks that each labeler meets in a round; null to annotators, who must not know. */
  gold_per_round: number | null;
  screening: boolean;
  screening_tasks: number;
  /** The share to pass, above 0, up to 1. */
  screening_share: number;
  screening_retries: number;
  screening_feedback: boolean;
  counts: {
    problems: number;
    traces: number;
    tasks_wanting: number;
    labels_submitted: number;
    open_rounds: number;
  };
}

export interface PersonRef {
  id: number;
  display_name: string;
}

export interface ProjectMember {
  id: number;
  user: { id: number; username: string; display_name: string; email: string; kind: "person" | "imported" };
  role: Role;
  is_active: boolean;
  joined_at: string;
  labels_submitted: number;
  active_ms: number;
  last_label_at: string | null;
}

export interface Invitation {
  id: number;
  role: Role;
  email: string;
  expires_at: string;
  state: "open" | "expired" | "used" | "revoked";
  created_at: string;
  created_by: PersonRef | null;
  accepted_by: PersonRef | null;
  /** Only in the answer that creates it: the link is shown once. */
  url_path?: string;
}

/** What somebody who holds an invitation link may see before joining. */
export interface InvitationPreview {
  project: { name: string };
  role: Role;
  expires_at: string;
  state: Invitation["state"];
}

export interface ApiToken {
  id: number;
  name: string;
  prefix: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  /** Only in the answer that creates it. */
  token?: string;
}

export interface GuidelineVersion {
  version: number;
  created_at: string;
  created_by: PersonRef | null;
}

export interface AuditEvent {
  id: number;
  at: string;
  actor: PersonRef | null;
  action: string;
  target: string;
  detail: Record<string, unknown>;
}

export interface ProblemSummary {
  id: number;
  external_id: string;
  text: string;
  subject: string;
  level: string;
}

export interface TraceSummary {
  id: number;
  problem: ProblemSummary;
  generator: string;
  source: string;
  step_count: number;
  final_answer: string | null;
  outcome: Outcome;
  tasks: number;
  labels: number;
}

export interface Problem extends ProblemSummary {
  answer: string | null;
  reference_solution: string | null;
  split: string;
  source: string;
  licence: string;
  metadata: Record<string, unknown>;
  status: string;
}

/** A trace without its tasks, as a task carries it. */
export interface TraceBody {
  id: number;
  problem: Problem;
  generator: string;
  source: string;
  sampling: Record<string, unknown>;
  steps: string[];
  alternatives: { id: number; step: number; text: string; source: string }[];
  final_answer: string | null;
  outcome: Outcome;
  recorded_first_error: number | null;
  recorded_ratings: (Rating | null)[] | null;
  metadata: Record<string, unknown>;
}

export interface AlternativeLabel {
  completion: number;
  step: number;
  rating: Rating | null;
  flagged: boolean | null;
  chosen: boolean;
}

export interface LabelDetail extends LabelSummary {
  ratings: (Rating | null)[];
  /** Ratings filled in from an earlier label and left as they were; `task_id` null: that label was taken back. */
  carried: { step: number; task_id: number | null }[];
  step_active_ms: number[];
  noticed_at_step: number | null;
  finish_detail: { kind?: string; text?: string };
  mistake: Mistake | null;
  alternatives: AlternativeLabel[];
  comments: StepComment[];
  reports: Report[];
  confirmations: Confirmation[];
  guideline_version: number | null;
  client_build: string;
  total_ms: number | null;
  /** When the labeler was shown what the model thought; null: never. */
  scores_revealed_at: string | null;
  /** Changed after that. */
  edited_after_reveal: boolean;
  /** Why a reviewer settled it so; empty for labelers' own labels. */
  note: string;
}

export interface TraceDetail extends TraceBody {
  /** Its slug. */
  project: string;
  /** The gold item that it is, or was. */
  gold: number | null;
  /** What each PRM that has read it says of it. */
  scores: components["schemas"]["TraceScores"][];
  tasks: { id: number; round: RoundRef; labels: LabelDetail[] }[];
}

export type Split = "train" | "held_out";
export type RoundSource = "all" | "filter" | "sample";
/** Some are the workers' (`Round.working`); at `ready` a person publishes. Plain rounds begin at `labeling`. */
export type RoundStatus = components["schemas"]["RoundStatus"];

export interface TraceFilter {
  outcome?: Outcome;
  generator?: string;
  subject?: string;
  level?: string;
  source?: string;
  split?: Split;
  unlabeled_only?: boolean;
  steps_min?: number;
  steps_max?: number;
}

export interface RoundChoice {
  source: RoundSource;
  filter: TraceFilter;
  sample_size?: number;
  seed?: number;
}

export interface RoundPreview {
  traces: number;
  problems: number;
  sample: TraceSummary[];
}

export interface NewRound extends RoundChoice {
  name: string;
  overlap: number;
  overlap_most: number;
  overlap_needed: number;
  priority: number;
  /** Of this press of the button: sent again, it opens no second round. */
  client_key: string;
}

export interface Round {
  id: number;
  number: number;
  name: string;
  status: RoundStatus;
  priority: number;
  overlap: number;
  /** Where labels differ, so many labelers are asked; 0, as the next one: the overlap is fixed. */
  overlap_most: number;
  overlap_needed: number;
  seed: number;
  config: Partial<RoundChoice> & Record<string, unknown>;
  created_by: PersonRef | null;
  created_at: string;
  opened_at: string | null;
  closed_at: string | null;
  counts: { tasks: number; labels_wanted: number; submitted: number; open: number; surplus: number };
  imported: boolean;
  /** Null for plain rounds, and where nothing is scored. */
  prm: { id: number; name: string } | null;
  /** Why it failed, and the way out. */
  error: string;
  /** Workers have it: its numbers change by themselves. */
  working: boolean;
  /** As `working`, or it was stopped while they had it. */
  with_workers: boolean;
  /** Where a paused or failed round goes on. */
  resume_to: RoundStatus | "";
  /** Workers carry it from stage to stage; a plain round begins at `labeling`. */
  staged: boolean;
  has_selection: boolean;
}

export type TaskState = "waiting" | "in_progress" | "done";

export interface TaskSummary {
  id: number;
  round: RoundRef;
  kind: string;
  trace: { id: number; step_count: number; outcome: Outcome; problem_text: string };
  labels_wanted: number;
  labels: { submitted: number; open: number };
  state: TaskState;
}

export interface TaskDetail {
  id: number;
  round: RoundRef;
  kind: string;
  labels_wanted: number;
  trace: TraceBody;
  labels: LabelDetail[];
}

export interface Lease {
  label_id: number;
  labeler: PersonRef;
  task_id: number;
  round_number: number;
  status: Extract<LabelStatus, "open" | "prefetched">;
  claimed_at: string;
  leased_until: string;
  progress: { rated: number; steps: number };
  last_seen_at: string | null;
}

export interface Overview {
  progress: { tasks: number; slots: number; submitted: number; open: number; surplus: number };
  label_mix: Record<"-1" | "0" | "1", number>;
  finish_mix: Partial<Record<FinishReason, number>>;
  first_error_histogram: { step: number; n: number }[];
  by_day: { day: string; labels: number; active_ms: number }[];
  labelers: {
    id: number;
    display_name: string;
    is_active: boolean;
    labels: number;
    active_ms: number;
    steps: number;
    give_up: number;
    last_at: string | null;
  }[];
  outcomes: Record<Outcome, number>;
  rounds: Round[];
  median_active_ms: number | null;
}
