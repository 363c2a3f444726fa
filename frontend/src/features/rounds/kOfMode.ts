import type { PoolCount, SelectionMode } from "@/api/roundTypes";
import { DEFAULT_RULES, OVER_ALL, type RulesForm } from "./rulesForm";

/** What the pool says of K; nothing until it is counted. */
type CountedK = Pick<PoolCount, "fitting_k" | "advice"> | undefined;

/** The K that somebody chose, by the mode they chose it in: K is of one problem in one and of the whole pool in the other. */
export interface SaidK {
  said_k: Partial<Record<SelectionMode, RulesForm["k"]>>;
}

/** Of a form that begins with a K that somebody chose. */
export function saidK({ mode, k }: Pick<RulesForm, "mode" | "k">): SaidK {
  return { said_k: { [mode]: k } };
}

/** Nobody said how many of a problem, so it is what suits the pool. */
export function kFits({ mode, said_k }: Pick<RulesForm, "mode"> & SaidK): boolean {
  return mode === "per_problem" && said_k.per_problem === undefined;
}

/** The changes, with the K of a mode that is new: as it was said there, else what suits it. */
export function withK<T extends Partial<RulesForm>>(
  { mode, said_k }: Pick<RulesForm, "mode"> & SaidK,
  changes: T,
  counted: CountedK,
): T & SaidK {
  const said = changes.k === undefined ? said_k : { ...said_k, [mode]: changes.k };
  const { mode: next = mode } = changes;
  const all = next === mode ? changes : { ...changes, k: said_k[next] || suitingK(next, counted) };
  return { ...all, said_k: said };
}

function suitingK(mode: SelectionMode, counted: CountedK): RulesForm["k"] {
  if (mode === "per_problem") return counted?.fitting_k ?? DEFAULT_RULES.k;
  const advised = counted?.advice.rules;
  return advised?.mode === "global" ? advised.k : OVER_ALL;
}
