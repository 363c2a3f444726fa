/** What a finished label must hold to be shown beside others. */
export interface ShownLabel {
  id: number;
  labeler: { id: number; display_name: string };
  status: string;
  finish_reason: string | null;
  finish_detail: { kind?: string; text?: string };
  submitted_at: string | null;
  active_ms: number;
  total_ms: number | null;
  /** A step from 0, -1: no error; null: it does not say. */
  verdict: number | null;
  noticed_at_step: number | null;
  surplus: boolean;
  /** Unsaid to its labeler, who was told when it was submitted. */
  surplus_because?: "round_closed" | "slot_taken" | null;
  ratings: (number | null)[];
  /** Filled in from an earlier label of the labeler's and left as they were. */
  carried: { step: number; task_id: number | null }[];
  step_active_ms: number[];
  mistake: {
    progress: string | null;
    explanation: string;
    kind?: string;
    clause?: string;
    corrected_step: string;
    explanations?: { text: string; rating: number | null; flagged: boolean }[];
  } | null;
  run_marks?: {
    decisive_error: number | null;
    recovered_at: number | null;
    outcome: string;
    safety: string;
    clause?: string;
    comment: string;
    acts?: { step: number; clause?: string; text?: string; verdict?: string; severity?: string; comment?: string }[];
  } | null;
  alternatives: { completion: number; step: number; rating: number | null; flagged: boolean | null; chosen: boolean }[];
  comments: { step: number; text: string }[];
  reports: { kind: string; step: number | null; text: string }[];
  confirmations: { code: string; reason: string }[];
  guideline_version: number | null;
  scores_revealed_at: string | null;
  edited_after_reveal: boolean;
  /** Left out by hand; unsaid to its labeler. */
  excluded?: boolean;
  /** Why a reviewer ruled so; for reviewers alone. */
  note?: string;
}

export interface StepAlternative {
  id: number;
  step: number;
  text: string;
  source: string;
}

export interface StepNote {
  labeler: string;
  text: string;
}

/** What labelers wrote at each step: comments, and reports that the step is split badly. */
export function notesByStep(labels: ShownLabel[]): Map<number, StepNote[]> {
  const notes = new Map<number, StepNote[]>();
  const add = (step: number, note: StepNote) => notes.set(step, [...(notes.get(step) ?? []), note]);
  for (const label of labels) {
    const labeler = label.labeler.display_name;
    for (const comment of label.comments) add(comment.step, { labeler, text: comment.text });
    for (const report of label.reports) {
      if (report.step === null || report.kind !== "split_badly") continue;
      add(report.step, { labeler, text: report.text ? `Split badly: ${report.text}` : "Split badly." });
    }
  }
  return notes;
}

/** Where a rating that was carried over comes from, in a few words; null where it was typed. */
export function carriedWords(label: Pick<ShownLabel, "carried">, step: number): string | null {
  const found = label.carried.find((one) => one.step === step);
  if (!found) return null;
  return found.task_id === null ? "carried over" : `carried over from task ${found.task_id}`;
}

/** The steps at which two labels give different ratings; a step only one of them rated is no disagreement. */
export function disagreements(labels: ShownLabel[]): Set<number> {
  const steps = Math.max(0, ...labels.map((label) => label.ratings.length));
  const found = new Set<number>();
  for (let step = 0; step < steps; step += 1) {
    const given = new Set(labels.map((label) => label.ratings[step] ?? null).filter((rating) => rating !== null));
    if (given.size > 1) found.add(step);
  }
  return found;
}
