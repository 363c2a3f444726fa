/** Why a machine names no first error, as the server keeps it; other reasons are sentences already. */
const SILENCES: Record<string, string> = {
  unsolvable: "its completer never solves the problem, which says nothing of the steps",
  unknown: "too few rollouts could be graded",
  budget: "the budget ended before it was found",
  split: "its votes are split",
  unread: "no answer could be read",
  not_decided: "the prover could not decide a step before any that it refuted",
  nothing_false: "nothing that was computed again is false; that is no claim that nothing is",
};

export function silence(why: string): string {
  return SILENCES[why] ?? why;
}
