import type { ReactNode } from "react";
import type { Placed } from "./answers";
import { NearUnit } from "./NearUnit";
import { RunSteps } from "./runParts";
import { namesOf, type RunSource, type TypedStep, unitOf } from "./typedStep";

const MANY_UNITS = 60; // of more, those out of sight are not drawn

export interface RunUnits {
  /** What stands before the first unit. */
  before: ReactNode;
  /** Of each unit what it is and what follows it. */
  units: readonly ReactNode[];
}

/** A run's steps by their units, without what is filtered out: to stand where a plain trace has its texts. */
export function runUnits(
  steps: readonly TypedStep[],
  count: number,
  source: RunSource,
  hidden: ReadonlySet<string> = new Set(),
): RunUnits {
  const of = byUnit(steps, count, hidden);
  const Unit = count > MANY_UNITS ? NearUnit : RunSteps;
  return {
    before: <RunSteps steps={of[0] ?? []} source={source} />,
    units: of.slice(1).map((own, unit) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a unit is its place in the run
      <Unit key={unit} steps={own} source={source} />
    )),
  };
}

/** What stands before the first unit, then each unit's steps. */
function byUnit(steps: readonly TypedStep[], count: number, hidden: ReadonlySet<string>): Placed[][] {
  const found: Placed[][] = Array.from({ length: count + 1 }, () => []);
  for (const [place, step] of steps.entries()) {
    if (!namesOf(step).some((name) => hidden.has(name))) found[unitOf(step) + 1]?.push({ step, place });
  }
  return found;
}
