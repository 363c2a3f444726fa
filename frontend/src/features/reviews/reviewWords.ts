import type { ReviewDecision, ReviewKind } from "@/api/reviewTypes";
import type { StatusTone } from "@/ui/StatusMark";
import { stepName } from "@/ui/trace/words";

interface KindWords {
  name: string;
  /** Why a task of this kind waits. */
  means: string;
  tone: StatusTone;
}

/** The reasons for review, the most urgent first. */
export const KINDS: Record<ReviewKind, KindWords> = {
  no_consensus: { name: "No consensus", means: "The labelers do not agree, and no more can be asked.", tone: "bad" },
  disagreement: {
    name: "Disagreement",
    means: "Its labels differ about the first error, or a run’s decisive one.",
    tone: "bad",
  },
  bad_problem: { name: "Bad problem", means: "A labeler says that the problem is bad.", tone: "held" },
  answer_wrong: { name: "Answer guess wrong", means: "The guess of the right answer looks wrong.", tone: "held" },
  split_badly: { name: "Split badly", means: "A step is cut in the wrong place.", tone: "held" },
  contradiction: {
    name: "Contradiction",
    means: "A label contradicts itself or the outcome, and gives a reason.",
    tone: "held",
  },
  asked_for: { name: "Asked for", means: "A researcher sent it here from the list of labels.", tone: "held" },
  flagged: { name: "Unsure", means: "A labeler was unsure of a rating.", tone: "quiet" },
  comment: { name: "Comment", means: "A labeler commented on a step.", tone: "quiet" },
};
export const KIND_ORDER = Object.keys(KINDS) as ReviewKind[];

const OUTCOMES: Record<ReviewDecision["outcome"], string> = {
  settled: "settled",
  dismissed: "dismissed",
  bad_problem: "confirmed: the problem is bad",
  corrected: "the answer was corrected",
  accepted: "another answer was accepted",
  repaired: "the split was repaired",
};

/** "Comment: dismissed by Ada. It says nothing of the rating." */
function decisionWords({ kind, outcome, by, reason }: ReviewDecision): string {
  const said = `${OUTCOMES[outcome]} by ${by.display_name}. ${reason}`.trim();
  return outcome === "settled" ? said.charAt(0).toUpperCase() + said.slice(1) : `${KINDS[kind].name}: ${said}`;
}

/**
 * Return each decision once. A ruling decides every kind, even kinds that the task never waited for, so it names none.
 */
export function decisionsSaid(decisions: readonly ReviewDecision[]): string[] {
  return [...new Set(decisions.map(decisionWords))];
}

/** Return what was settled, as one clause. */
export function verdictWords(settlement: string, verdict: number | null): string {
  if (settlement === "") return "not settled";
  if (settlement === "no_consensus") return "no consensus: it waits for you";
  const by = settlement === "ruled" ? "settled by a reviewer" : "enough labelers agree";
  return `${by}: ${errorWords(verdict)}`;
}

/** Return what a ruling says about its trace. */
export function errorWords(verdict: number | null): string {
  if (verdict === null) return "a bad problem";
  return verdict === -1 ? "no error" : `first error in ${stepName(verdict)}`;
}
