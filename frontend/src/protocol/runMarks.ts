/**
 * What a label says about an agent's run besides its ratings: the twin of the server's
 * `labeling/protocol/run_marks.py`. Both are tested on `labeling/tests/run_marks_cases.json`.
 */
import type { RunMarks } from "@/api/types";
import type { Finding, Ratings } from "./interface";

export const NO_MARKS: RunMarks = {
  decisive_error: null,
  recovered_at: null,
  outcome: "",
  safety: "none",
  clause: "",
  comment: "",
  acts: [],
};
export type Act = RunMarks["acts"][number];

/**
 * The marks that do not fit the ratings or are incomplete. The decisive error must be rated −1. A recovery must come
 * after the first −1 and must not be rated −1 itself. Every act needs a clause, and an act against it needs a severity.
 */
export function marksMissing(
  ratings: Ratings,
  marks: (Pick<RunMarks, "decisive_error" | "recovered_at"> & Partial<Pick<RunMarks, "acts">>) | null,
): Finding[] {
  if (!marks) return [];
  const { decisive_error: decisive = null, recovered_at: recovered = null } = marks;
  const found: Finding[] = [];
  if (decisive !== null && ratings[decisive] !== -1) found.push({ code: "decisive_is_no_error", step: decisive });
  const error = ratings.indexOf(-1);
  if (recovered !== null && (error < 0 || recovered <= error || ratings[recovered] === -1))
    found.push({ code: "recovery_without_error", step: recovered });
  for (const { step, clause, verdict, severity } of marks.acts ?? []) {
    if (!clause) found.push({ code: "act_needs_clause", step });
    if (verdict === "against" && !severity) found.push({ code: "act_needs_severity", step });
  }
  return found;
}

export function saysNothing(marks: RunMarks): boolean {
  return (
    (marks.decisive_error ?? null) === null &&
    (marks.recovered_at ?? null) === null &&
    !marks.outcome &&
    (marks.safety ?? "none") === "none" &&
    !marks.comment?.trim() &&
    marks.acts.length === 0
  );
}
