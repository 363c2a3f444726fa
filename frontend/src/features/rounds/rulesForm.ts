import * as limits from "@/api/limits";
import { inPercent } from "@/api/percent";
import type { SelectionMode, SelectionRules } from "@/api/roundTypes";
import { countOf, formatCount, formatPercent } from "@/ui/format";
import { isPercent, LEAST_CONTROL, type MixForm, mixFaults, mixFormOf, mixOf, mixTotal, NO_MIX, WAYS } from "./mixForm";

/** The rules of a selection as typed: shares in percent, `""` for an empty number field. */
export interface RulesForm extends MixForm {
  mode: SelectionMode;
  k: number | "";
  ratio: number | "";
  per_problem_cap: number | "";
  budget: number | "";
  control_share: number | "";
  seed: number | "";
}

export const DEFAULT_RULES: RulesForm = {
  mode: "per_problem",
  k: 4,
  ratio: 80,
  per_problem_cap: "",
  budget: "",
  control_share: 10,
  seed: 1,
  ...NO_MIX,
};

/** How many traces to choose over all problems if neither a person nor the pool says. */
export const OVER_ALL = 50;

const { k: COUNT, seed: SEED } = limits.StartRoundIn;
const MOST_CONTROL = inPercent(limits.StartRoundIn.control_share).max;

const COUNTS = `From ${COUNT.min} to ${formatCount(COUNT.max)}`;

const isCount = (typed: number | "") => typed !== "" && typed >= COUNT.min && typed <= COUNT.max;

/** Return what is wrong with each field, as text. A correct field has no entry. */
export function rulesFaults(form: RulesForm): Partial<Record<keyof RulesForm, string>> {
  const faults: Partial<Record<keyof RulesForm, string>> = form.mode === "global" ? mixFaults(form) : {};
  if (!isCount(form.k)) faults.k = `${COUNTS}.`;
  if (!isPercent(form.ratio, 100)) faults.ratio = "From 0 to 100.";
  if (!isPercent(form.control_share, MOST_CONTROL)) {
    faults.control_share = `From 0 to ${MOST_CONTROL}.`;
  } else if (form.mode === "global" && mixTotal(form) > 0 && Number(form.control_share) < LEAST_CONTROL) {
    faults.control_share = `With other ways of choosing, at least ${LEAST_CONTROL}: it shows what they were worth.`;
  }
  if (form.per_problem_cap !== "" && !isCount(form.per_problem_cap)) faults.per_problem_cap = `${COUNTS}, or empty.`;
  if (form.budget !== "" && !isCount(form.budget)) faults.budget = `${COUNTS}, or empty.`;
  if (form.seed !== "" && !(form.seed >= SEED.min && form.seed <= SEED.max))
    faults.seed = `From ${SEED.min} to ${formatCount(SEED.max)}.`;
  return faults;
}

const share = (percent: number) => Number((percent / 100).toFixed(6));

/** Return the rules to send; null while a field has a fault. */
export function rulesOf(form: RulesForm): SelectionRules | null {
  const { k, ratio, control_share } = form;
  if (Object.keys(rulesFaults(form)).length > 0 || k === "" || ratio === "" || control_share === "") return null;
  return {
    mode: form.mode,
    k,
    ratio: share(ratio),
    per_problem_cap: form.mode === "global" && form.per_problem_cap !== "" ? form.per_problem_cap : null,
    budget: form.budget === "" ? null : form.budget,
    control_share: share(control_share),
    seed: form.seed === "" ? 0 : form.seed,
    mix: mixOf(form.mode === "global" ? form : NO_MIX),
  };
}

/** Return the form for a round's existing rules. */
export function rulesFormOf(rules: Partial<SelectionRules>): RulesForm {
  const percent = (value: number | undefined, otherwise: number | "") =>
    value === undefined ? otherwise : Number((value * 100).toFixed(4));
  return {
    mode: rules.mode ?? DEFAULT_RULES.mode,
    k: rules.k ?? DEFAULT_RULES.k,
    ratio: percent(rules.ratio, DEFAULT_RULES.ratio),
    per_problem_cap: rules.per_problem_cap ?? "",
    budget: rules.budget ?? "",
    control_share: percent(rules.control_share, DEFAULT_RULES.control_share),
    seed: rules.seed ?? DEFAULT_RULES.seed,
    ...mixFormOf(rules.mix),
  };
}

/**
 * "For each problem: the 3 most convincing wrong answers, then the most convincing of the rest, right or wrong."
 * `random`: without a PRM nothing is convincing, so what the other ways of choosing leave is drawn by chance.
 */
export function quotaWords(form: RulesForm, random = false): string {
  const rules = rulesOf(form);
  if (!rules) return "";
  const places = rules.k - mixedPlaces(form, rules.k);
  const wrong = Math.floor(rules.ratio * places + 0.5);
  const rest = places - wrong;
  const of = rules.mode === "per_problem" ? "For each problem" : "Over all problems";
  if (random) return `${of}: ${countOf(places, "trace")}, drawn at random.`;
  if (places === 0) return `${of}: nothing by how convincing it is.`;
  const first = wrong === 1 ? "the most convincing wrong answer" : `the ${wrong} most convincing wrong answers`;
  if (rest === 0) return `${of}: ${first}.`;
  if (wrong === 0)
    return `${of}: the ${rest === 1 ? "most convincing trace" : `${rest} most convincing traces`}, right or wrong.`;
  const then = rest === 1 ? "the most convincing of the rest" : `the ${rest} most convincing of the rest`;
  return `${of}: ${first}, then ${then}, right or wrong.`;
}

/** Return whether to draw a random control. Next to traces that chance chose, it would say nothing. */
export function hasControl(form: RulesForm, random: boolean): boolean {
  return !random || (form.mode === "global" && mixTotal(form) > 0);
}

/** Return how many traces the random control adds to K, and what share of the total they are. */
export function controlWords(form: RulesForm): string {
  const rules = rulesOf(form);
  if (!rules || rules.control_share === 0) return "";
  if (rules.mode === "per_problem") {
    const whole = `${formatPercent(rules.control_share, 1 + rules.control_share)} of all traces`;
    return `Random control comes on top of K: ${formatPercent(rules.control_share, 1)} of it, which is ${whole}.`;
  }
  const most = rules.budget ?? Number.POSITIVE_INFINITY;
  const drawn = Math.floor(rules.control_share * Math.min(rules.k, most) + 0.5);
  const all = Math.min(rules.k + drawn, most);
  const share = `${formatPercent(drawn, all)} of ${countOf(all, "trace")}`;
  const within = rules.k + drawn > most ? "Within the limit in all are" : "On top of K come";
  return `${within} ${formatCount(drawn)} of random control: ${share}.`;
}

/** Return how many of K go to other ways of choosing, each rounded separately. */
function mixedPlaces(form: RulesForm, k: number): number {
  if (form.mode !== "global") return 0;
  const shares = WAYS.map((way) => (form[way] || 0) / 100);
  return shares.reduce((taken, share) => taken + Math.min(Math.floor(share * k + 0.5), k - taken), 0);
}
