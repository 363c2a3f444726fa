/** What a finished label needs in order to be shown next to others. */
export interface ShownLabel {
  id: number;
  labeler: { id: number; display_name: string };
  status: string;
  finish_reason: string | null;
  finish_detail: { kind?: string; text?: string };
  submitted_at: string | null;
  active_ms: number;
  total_ms: number | null;
  /** The step of the first error, from 0; -1: no error; null: the label does not say. */
  verdict: number | null;
  noticed_at_step: number | null;
  surplus: boolean;
  /** Missing for the label's own labeler, who was told at submission. */
  surplus_because?: "round_closed" | "slot_taken" | null;
  ratings: (number | null)[];
  /** Ratings filled in from an earlier label of the same labeler and not changed. */
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
  /** Left out by hand; missing for the label's own labeler. */
  excluded?: boolean;
  /** The reason for a reviewer's ruling; for reviewers only. */
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

/** What labelers wrote about each step: comments, and reports that the step is split badly. */
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

/** Where a carried rating comes from, in a few words; null if it was not carried over. */
export function carriedWords(label: Pick<ShownLabel, "carried">, step: number): string | null {
  const found = label.carried.find((one) => one.step === step);
  if (!found) return null;
  return found.task_id === null ? "carried over" : `carried over from task ${found.task_id}`;
}

/** The steps at which labels give different ratings; a step that only one of them rated is not a disagreement. */
export function disagreements(labels: ShownLabel[]): Set<number> {
  const steps = Math.max(0, ...labels.map((label) => label.ratings.length));
  const found = new Set<number>();
  for (let step = 0; step < steps; step += 1) {
    const given = new Set(labels.map((label) => label.ratings[step] ?? null).filter((rating) => rating !== null));
    if (given.size > 1) found.add(step);
  }
  return found;
}
