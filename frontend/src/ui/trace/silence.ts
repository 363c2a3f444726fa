/** Why a machine names no first error, by the server's code; other reasons are sentences already. */
const SILENCES: Record<string, string> = {
  unsolvable: "its completer never solves the problem, which says nothing about the steps",
  unknown: "too few rollouts could be graded",
  budget: "the budget ended before the first error was found",
  split: "its votes are split",
  unread: "no answer could be read",
  not_decided: "the prover could not decide a step and refuted none before it",
  nothing_false: "no recomputed value is false; this does not mean that all is right",
};

export function silence(why: string): string {
  return SILENCES[why] ?? why;
}
