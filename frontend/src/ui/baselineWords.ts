/** Whether an evaluation found that a PRM beats its baseline: what position and length alone tell about a step. */
export const BEATEN = "beaten";
export const NOT_BEATEN = "not beaten";

/** For places outside a column with that name. */
export const BASELINE_NOT_BEATEN = `baseline ${NOT_BEATEN}`;

/** "baseline not beaten on Bench"; empty for a PRM that beats it on every set it was measured on. */
export function baselineWords(sets: readonly string[]): string {
  return sets.length > 0 ? `${BASELINE_NOT_BEATEN} on ${sets.join(", ")}` : "";
}
