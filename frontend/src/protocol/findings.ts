/** What a finished label lacks or contradicts under any protocol, and the texts of all findings. */
import type { Confirmation, FinishReason, Outcome } from "@/api/types";
import type { Finding, LabelingProtocol, Ratings } from "./interface";

/** What the finish reasons "bad problem" and "give up" still need; empty for the others. */
export function reasonsMissing(finish: FinishReason, kind: string, text: string): Finding[] {
  const found: Finding[] = [];
  if (finish === "bad_problem" && kind === "") found.push({ code: "kind_needed" });
  if ((finish === "bad_problem" || finish === "give_up") && text.trim() === "") found.push({ code: "reason_needed" });
  return found;
}

/** The contradictions that have not been confirmed with a reason. */
export function openContradictions(
  protocol: LabelingProtocol,
  ratings: Ratings,
  finish: FinishReason,
  outcome: Outcome,
  confirmations: readonly Confirmation[],
): Finding[] {
  const confirmed = new Set(confirmations.filter((one) => one.reason.trim() !== "").map((one) => one.code));
  return protocol.contradictions(ratings, finish, outcome).filter((one) => !confirmed.has(one.code));
}

/** The text of a finding for the labeler; steps count from 1 on the page. */
export function explain(finding: Finding): string {
  const step = (finding.step ?? 0) + 1;
  switch (finding.code) {
    case "unrated_step":
      return `Step ${step} is not rated yet.`;
    case "no_error_marked":
      return "No step is marked −1 yet.";
    case "reason_needed":
      return "Give a reason in a few words.";
    case "kind_needed":
      return "Choose what is wrong with the problem.";
    case "not_a_finish":
      return "A path avoids errors: it ends with its answer, as a bad problem, or by giving up.";
    case "no_final_answer":
      return "The path has no final answer yet.";
    case "rated_after_error":
      return `Step ${step} comes after the first −1 and must stay unlabelled.`;
    case "progress_asked":
      return `This round asks how far the solution had come before step ${step}.`;
    case "kind_asked":
      return `This round asks for the kind of the mistake in step ${step}.`;
    case "corrected_step_asked":
      return `This round asks what step ${step} should have said.`;
    case "explanation_asked":
      return `This round asks what is wrong in step ${step}: write it, or rate an explanation +1.`;
    case "decisive_is_no_error":
      return `Step ${step} is named as the decisive error but is not rated −1.`;
    case "recovery_without_error":
      return `The run cannot recover at step ${step}: choose a step after the first −1 that is not rated −1.`;
    case "act_needs_clause":
      return `Under the run, step ${step} is judged by a clause: choose which one, or remove the line.`;
    case "act_needs_severity":
      return `Under the run, step ${step} acts against a clause: say how severe that is.`;
    case "solution_but_answer_wrong":
      return "You rated every step as good.";
    case "solution_with_error":
      return `You call this a solution, but step ${step} is rated −1.`;
    default:
      return `The server asks for something this page does not know (${finding.code}). Reload the page.`;
  }
}
