/** Return the limits of a share for a field in percent. */
export function inPercent({ min, max }: { min: number; max: number }): { min: number; max: number } {
  return { min: percent(min), max: percent(max) };
}

/** Without the rounding errors of binary fractions: 0.07 is 7. */
function percent(share: number): number {
  return Math.round(share * 10_000) / 100;
}
