import { useMemo } from "react";
import { type RunUnits, runUnits } from "./runUnits";
import type { RunSource, TypedStep } from "./typedStep";

/** A run's steps by unit, built once for a trace; null for a plain solution. */
export function useRunUnits(
  steps: readonly TypedStep[] | null,
  count: number,
  sourceOf: (id: number) => RunSource,
  id: number,
): RunUnits | null {
  return useMemo(() => steps && runUnits(steps, count, sourceOf(id)), [steps, count, sourceOf, id]);
}
