/** The shapes of the HTTP API around gold, screening and standing. */

import type { PersonRef } from "./projectTypes";
import type { Role } from "./types";

/** What speaks against a gold item. */
export type GoldSign = "wrong_key" | "split" | "leaked" | "too_easy";

export interface Share {
  value: number | null;
  low: number | null;
  high: number | null;
  n: number;
}

export interface GoldItem {
  id: number;
  trace_id: number;
  problem_text: string;
  steps: string[];
  /** First errors that pass: steps from 0, -1 = no error. */
  acceptable: number[];
  explanation: string;
  paragraph: string;
  origin: "admin" | "adjudication" | "import";
  status: "active" | "retired";
  retired_because: string;
  created_at: string;
  created_by: PersonRef | null;
  tally: {
    n: number;
    passed: number;
    rate: number | null;
    low: number | null;
    high: number | null;
    verdicts: { verdict: number | null; n: number; accepted: boolean }[];
    signs: GoldSign[];
  };
}

export interface GoldCounts {
  active: number;
  retired: number;
  fresh: number;
  least_left: number | null;
  labelers: number;
  short: number;
  a_round: number;
  a_screening: number;
}

/** What a person says of a gold item. */
export interface GoldSaid {
  acceptable: number[];
  explanation: string;
  paragraph: string;
}

export type QualityState = "working" | "screening" | "retry" | "rejected" | "paused";

export interface Pause {
  since: string;
  by_rule: boolean;
  reason: string;
  passed: number | null;
  agreement: Share | null;
  bar: number;
}

export interface Screening {
  attempt: number;
  done: number;
  of: number;
  needed: number;
  passed: number | null;
  admitted: boolean | null;
  feedback: boolean;
  attempts_left: number;
}

/** A labeler's own standing. */
export interface MyQuality {
  state: QualityState;
  screening: Screening | null;
  pause: Pause | null;
}

/** The accepted answer of a screening task. */
export interface Feedback {
  passed: boolean;
  verdict: number | null;
  acceptable: number[];
  explanation: string;
  paragraph: string;
  problem_text: string;
  steps: string[];
}

export interface LabelerQuality {
  member_id: number;
  labeler: PersonRef;
  role: Role;
  is_active: boolean;
  state: QualityState;
  action: "watch" | "coach" | "pause" | "clear";
  run: Share;
  recent: Share;
  pause: Pause | null;
  attempts: { attempt: number; of: number; needed: number; passed: number | null; finished_at: string | null }[];
  admitted_at: string | null;
}

export interface LabelerQualities {
  /** Below it a labeler is paused, once it is sure enough. */
  bar: number;
  good: number;
  labelers: LabelerQuality[];
}
