import { useState } from "react";
import type { PoolCount, SelectionMode } from "@/api/roundTypes";
import { DEFAULT_RULES, OVER_ALL, type RulesForm } from "./rulesForm";

/** What the pool says of K; nothing until it is counted. */
export type CountedK = Pick<PoolCount, "fitting_k" | "advice"> | undefined;

/**
 * The K of a form whose mode may change: K is of one problem in one mode and of the whole pool in the other. `said`: the form
 * begins with a K that somebody chose.
 */
export function useKOfMode({ mode, k }: Pick<RulesForm, "mode" | "k">, counted: CountedK, said: boolean) {
  const [saidIn, setSaidIn] = useState<Partial<Record<SelectionMode, RulesForm["k"]>>>(said ? { [mode]: k } : {});
  return {
    /** Nobody said how many of a problem, so it is what suits the pool. */
    fits: mode === "per_problem" && saidIn.per_problem === undefined,
    /** The changes, with the K of a mode that is new: as it was said there, else what suits it. */
    withK: <T extends Partial<RulesForm>>(changes: T): T => {
      if (changes.k !== undefined) setSaidIn({ ...saidIn, [mode]: changes.k });
      const { mode: next = mode } = changes;
      return next === mode ? changes : { ...changes, k: saidIn[next] || suitingK(next, counted) };
    },
  };
}

function suitingK(mode: SelectionMode, counted: CountedK): RulesForm["k"] {
  if (mode === "per_problem") return counted?.fitting_k ?? DEFAULT_RULES.k;
  const advised = counted?.advice.rules;
  return advised?.mode === "global" ? advised.k : OVER_ALL;
}
