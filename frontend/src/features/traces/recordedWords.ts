import type { TraceDetail } from "@/api/projectTypes";
import { countOf } from "@/ui/format";
import { stepName } from "@/ui/trace/words";

type Verdict = Pick<TraceDetail["recorded_verdicts"][number], "first_error">;

/** Return where a file says that the trace first goes wrong. */
export function verdictWords({ first_error }: Verdict): string {
  if (first_error === null) return "not given";
  return first_error < 0 ? "no step is wrong" : stepName(first_error);
}

/** Return what a file says about where it goes wrong: the first error and, for a run, the mistake that lost it. */
export function recordedNote({
  recorded_first_error: first,
  recorded_marks: marks,
}: Pick<TraceDetail, "recorded_first_error" | "recorded_marks">): string {
  const decisive = marks?.decisive_error ?? null;
  const said = [
    first === -1 && "no step is wrong",
    first !== null && first >= 0 && `the first error is ${stepName(first)}`,
    decisive !== null && `the decisive error is ${stepName(decisive)}`,
  ].filter((words) => words !== false);
  return said.length > 0 ? `According to its file: ${said.join("; ")}.` : "";
}

/** Return the right answers that the trace's file gave instead of the ones kept; empty if it gave none. */
export function otherAnswer({ metadata }: Pick<TraceDetail, "metadata">): string {
  const said = metadata.problem_as_given as Partial<Record<string, unknown>> | undefined;
  const given = [said?.ground_truth_answer, said?.ground_truth_answers].flat();
  const texts = given.filter((one) => typeof one === "string" || typeof one === "number").map(String);
  return [...new Set(texts)].join("; ");
}

/** Return whether the files agree on where it goes wrong. */
export function differNote(verdicts: Verdict[]): string {
  const said = verdicts.filter((verdict) => verdict.first_error !== null).map(verdictWords);
  const different = new Set(said).size;
  if (said.length < 2) return "";
  const all = said.length === 2 ? "Both" : `All ${said.length}`;
  return different === 1
    ? `${all} name the same first error.`
    : `${countOf(said.length, "verdict")}, ${different} different ones.`;
}
