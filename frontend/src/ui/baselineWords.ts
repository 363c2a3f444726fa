/** What an evaluation found of a PRM beside its baseline: what position and length alone say of a step. */
export const BEATEN = "beaten";
export const NOT_BEATEN = "not beaten";

/** Outside a column that is named so. */
export const BASELINE_NOT_BEATEN = `baseline ${NOT_BEATEN}`;

/** "baseline not beaten on Bench"; empty of a PRM that beats it wherever it was measured. */
export function baselineWords(sets: readonly string[]): string {
  return sets.length > 0 ? `${BASELINE_NOT_BEATEN} on ${sets.join(", ")}` : "";
}
