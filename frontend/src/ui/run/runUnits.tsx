import type { ReactNode } from "react";
import type { Placed } from "./answers";
import { NearUnit } from "./NearUnit";
import { RunSteps } from "./runParts";
import { namesOf, type RunSource, type TypedStep, unitOf } from "./typedStep";

const MANY_UNITS = 60; // with more units, those out of sight are not rendered

export interface RunUnits {
  /** The steps before the first unit. */
  before: ReactNode;
  /** Each unit with the steps that follow it. */
  units: readonly ReactNode[];
}

/** A run's steps by unit, without those filtered out: shown where a plain trace has its texts. */
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
      // biome-ignore lint/suspicious/noArrayIndexKey: a unit is identified by its index in the run
      <Unit key={unit} steps={own} source={source} />
    )),
  };
}

/** The steps before the first unit, then each unit's steps. */
function byUnit(steps: readonly TypedStep[], count: number, hidden: ReadonlySet<string>): Placed[][] {
  const found: Placed[][] = Array.from({ length: count + 1 }, () => []);
  for (const [place, step] of steps.entries()) {
    if (!namesOf(step).some((name) => hidden.has(name))) found[unitOf(step) + 1]?.push({ step, place });
  }
  return found;
}
