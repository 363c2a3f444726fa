/**
 * The shapes of the HTTP API, written by hand after its contract. `schema.d.ts` is generated from the server's OpenAPI
 * schema; `types.check.ts` holds both together, so that a change on the server fails the type check here.
 */

export type Role = "annotator" | "researcher" | "admin";
export type Rating = -1 | 0 | 1;
export type FinishReason = "found_error" | "solution" | "bad_problem" | "give_up";
export type BadProblemKind =
  | "missing_figure"
  | "external_link"
  | "false_premise"
  | "vague"
  | "too_many_parts"
  | "other";
export type LabelStatus = "prefetched" | "open" | "submitted" | "expired" | "released" | "superseded" | "ruling";
export type Outcome = "correct" | "wrong" | "ungraded";

export interface Page<T> {
  results: T[];
  next: string | null;
}

export interface Preferences {
  /** Command name -> the key the person chose for it. */
  keys?: Record<string, string>;
  theme?: "auto" | "light" | "dark";
}

export interface Member {
  project: { slug: string; name: string; status?: string };
  role: Role;
}

export interface SessionUser {
  id: number;
  username: string;
  display_name: string;
  email: string;
  is_superuser: boolean;
  preferences: Preferences;
  memberships: Member[];
}

export interface Session {
  user: SessionUser | null;
  build: string;
}

export interface RoundRef {
  id: number;
  number: number;
  name: string;
}

export interface Alternative {
  id: number;
  step: number;
  text: string;
}

export interface Mistake {
  progress: "none" | "some" | "most" | null;
  explanation: string;
}

export interface AlternativeRating {
  completion: number;
  rating: Rating | null;
  flagged: boolean;
}

/** A place to be rated: a step of the trace, or (with a completion) an alternative offered there. */
export interface CarriedMark {
  step: number;
  completion: number | null;
}

/** What the labeler said of the same text before, in the task `task_id`. */
export interface CarriedRating extends CarriedMark {
  rating: Rating | null;
  flagged: boolean;
  task_id: number;
  submitted_at: string;
}

export interface StepComment {
  step: number;
  text: string;
}

export interface Report {
  kind: "answer_wrong" | "split_badly";
  step: number | null;
  text: string;
}

export interface Confirmation {
  code: string;
  reason: string;
}

/** When a step (null: the problem, or the page as a whole) was looked at by an active person; epoch milliseconds. */
export interface Span {
  step: number | null;
  start: number;
  end: number;
}

export interface Submission {
  idempotency_key: string;
  finish_reason: FinishReason;
  finish_detail: { kind?: BadProblemKind; text?: string };
  /** One entry per step of the trace, in order; null where nothing was rated. */
  ratings: (Rating | null)[];
  noticed_at_step: number | null;
  mistake: Mistake | null;
  alternatives: AlternativeRating[];
  /** Ratings that were filled in from an earlier label and left as they were. */
  carried: CarriedMark[];
  comments: StepComment[];
  reports: Report[];
  confirmations: Confirmation[];
  spans: Span[];
  total_ms: number;
  client_build: string;
}

export interface Label {
  id: number;
  status: LabelStatus;
  project: { slug: string; name: string };
  round: RoundRef;
  /** How the round's traces are labeled. */
  protocol: string;
  task_id: number;
  problem: {
    text: string;
    answer: string | null;
    subject: string | null;
    level: string | number | null;
  };
  steps: string[];
  alternatives: Alternative[];
  carried: CarriedRating[];
  /** How many labels of other traces of this problem the labeler has submitted. */
  earlier_labels: number;
  outcome: Outcome;
  leased_until: string | null;
  server_time: string;
  opened_at: string | null;
  draft: unknown;
  draft_revision: number;
  guideline_version: number;
  surplus: boolean;
  submission: Submission | null;
  can_revise_until: string | null;
  reference_solution_available: boolean;
}

export interface EmptyQueue {
  code:
    | "no_open_round"
    | "all_done_for_you"
    | "all_being_labeled"
    | "project_archived"
    | "paused"
    | "screening_failed"
    | "screening_rejected"
    | "screening_not_ready";
  detail: string;
  tasks_left: number;
  next_free_in_seconds: number | null;
}

export interface Claim {
  label: Label | null;
  next: Label | null;
  empty: EmptyQueue | null;
}

export interface EarlierLabel {
  task_id: number;
  submitted_at: string;
  finish_reason: FinishReason;
  verdict: number | null;
  steps: string[];
  ratings: (Rating | null)[];
}

export interface LabelSummary {
  id: number;
  task_id: number;
  round: RoundRef;
  labeler: { id: number; display_name: string };
  status: LabelStatus;
  /** Empty until submitted. */
  finish_reason: string;
  submitted_at: string | null;
  active_ms: number;
  rated_steps: number;
  /** Where it says the trace first goes wrong: a step, -1: no error; null: it does not say. */
  verdict: number | null;
  problem_text: string;
  surplus: boolean;
  can_revise_until: string | null;
  /** The trace is settled: its labels may be seen side by side. */
  can_compare: boolean;
  supersedes: number | null;
  has_draft: boolean;
}

/** A label of a settled trace as its labelers see it: not whose it is. */
export interface ComparedLabel {
  number: number;
  mine: boolean;
  /** A reviewer's own, which settled it. */
  ruling: boolean;
  finish_reason: string;
  finish_detail: { kind?: string; text?: string };
  verdict: number | null;
  ratings: (number | null)[];
  mistake: { progress?: string | null; explanation?: string } | null;
}

export interface Comparison {
  label_id: number;
  problem_text: string;
  answer: string | null;
  steps: string[];
  outcome: Outcome;
  settlement: "agreed" | "no_consensus" | "ruled";
  settled_at: string;
  /** The first error, -1: none, null: a bad problem. */
  verdict: number | null;
  labels: ComparedLabel[];
}

export interface MyStats {
  submitted: number;
  submitted_today: number;
  active_ms: number;
  active_ms_today: number;
  steps_rated: number;
  /** By rating: "-1", "0", "1". */
  rating_counts: Record<string, number>;
  by_day: { day: string; labels: number; active_ms: number }[];
  round: { number: number; name: string; done: number; total: number } | null;
}

export interface Guideline {
  version: number;
  body: string;
  created_at: string | null;
}
