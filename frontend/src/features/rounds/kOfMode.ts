import type { PoolCount, SelectionMode } from "@/api/roundTypes";
import { DEFAULT_RULES, OVER_ALL, type RulesForm } from "./rulesForm";

/** What the pool says about K; undefined until it is counted. */
type CountedK = Pick<PoolCount, "fitting_k" | "advice"> | undefined;

/**
 * The K that somebody chose, by mode: K counts traces of one problem in one mode, and of the whole pool in the other.
 */
export interface SaidK {
  said_k: Partial<Record<SelectionMode, RulesForm["k"]>>;
}

/** Return this for a form that starts with a chosen K. */
export function saidK({ mode, k }: Pick<RulesForm, "mode" | "k">): SaidK {
  return { said_k: { [mode]: k } };
}

/** Return whether K follows the pool, because nobody chose how many traces to take of a problem. */
export function kFits({ mode, said_k }: Pick<RulesForm, "mode"> & SaidK): boolean {
  return mode === "per_problem" && said_k.per_problem === undefined;
}

/** Return the changes and, if they change the mode, its K: as chosen there before, otherwise what suits it. */
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
