import * as limits from "@/api/limits";
import type { Generate, NewStagedRound, PoolCountQuestion, Prm, SplitterKind } from "@/api/roundTypes";
import { baselineWords } from "@/ui/baselineWords";
import { countOf } from "@/ui/format";
import { originWords } from "@/ui/learnedFrom";
import { type Overlap, overlapFault } from "@/ui/OverlapFields";
import { EMPTY_FILTER, type FilterForm, filterOf, stepsContradict } from "./filterForm";
import { type SaidK, saidK } from "./kOfMode";
import { overlapOf, sentOverlap } from "./roundForm";
import { DEFAULT_RULES, OVER_ALL, type RulesForm, rulesFaults, rulesOf } from "./rulesForm";

/** How new traces are made, as typed. */
export interface GenerateForm {
  server: string;
  model: string;
  prompt: string;
  temperature: number | "";
  top_p: number | "";
  n: number | "";
  max_tokens: number | "";
  /** One stop text per line; `\n` stands for a line break. */
  stop: string;
  generate_seed: number | "";
  splitter: SplitterKind;
  pattern: string;
}

/** The form of a round prepared by workers, as typed. */
export interface StagedForm extends FilterForm, RulesForm, SaidK, GenerateForm {
  name: string;
  /** `undefined` until touched: then the best PRM available is used. */
  prm: number | null | undefined;
  grade: boolean;
  rescore: number | "";
  generating: boolean;
  overlap: number | "";
  overlap_most: number | "";
  overlap_needed: number | "";
  /** Blank means what suits the traces. */
  protocol: NewStagedRound["protocol"];
  priority: number | "";
}

export function emptyStagedForm(overlap: Overlap): StagedForm {
  return {
    ...EMPTY_FILTER,
    ...DEFAULT_RULES,
    said_k: {},
    name: "",
    prm: undefined,
    grade: true,
    rescore: 16,
    generating: false,
    server: "",
    model: "",
    prompt: "",
    temperature: 1,
    top_p: 1,
    n: 16,
    max_tokens: 2048,
    stop: "",
    generate_seed: 1,
    splitter: "blank_line",
    pattern: "",
    overlap: overlap.base,
    overlap_most: overlap.most,
    overlap_needed: overlap.needed,
    protocol: "",
    priority: 0,
  };
}

/** Return the form for a round of traces like those that an address names; unchanged if it names none. */
export function likeTraces(form: StagedForm, named: string | null): StagedForm {
  if (!named) return form;
  return {
    ...form,
    mode: "global",
    k: OVER_ALL,
    ...saidK({ mode: "global", k: OVER_ALL }),
    like: 100,
    control_share: 20,
    like_traces: named.replaceAll(",", ", "),
  };
}

const MOST_STOPS = 4;

function stopTexts({ stop }: GenerateForm): string[] {
  return stop
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replaceAll("\\n", "\n"));
}

/** Return what is wrong with the fields for generating, as text. */
export function generateFaults(form: GenerateForm): Partial<Record<keyof GenerateForm, string>> {
  const faults: Partial<Record<keyof GenerateForm, string>> = {};
  if (!form.server) faults.server = "Choose a server.";
  if (!form.model.trim()) faults.model = "Enter the server’s name for the model.";
  if (!form.prompt.includes("{problem}")) faults.prompt = "Mark where the problem goes with {problem}.";
  if (form.n === "" || form.n < 1) faults.n = "At least 1.";
  if (form.max_tokens === "" || form.max_tokens < 1) faults.max_tokens = "At least 1.";
  if (form.temperature === "" || form.temperature < 0) faults.temperature = "0 or more.";
  const { top_p } = limits.GenerateIn;
  if (form.top_p === "" || form.top_p < top_p.min || form.top_p > top_p.max)
    faults.top_p = `From ${top_p.min} to ${top_p.max}.`;
  if (stopTexts(form).length > MOST_STOPS) faults.stop = `At most ${MOST_STOPS}.`;
  if (form.splitter === "custom" && !form.pattern.trim()) faults.pattern = "Enter how a step begins.";
  return faults;
}

/** Return how to make new traces; null while a field has a fault. */
function generateOf(form: GenerateForm): Generate | null {
  const { temperature, top_p, n, max_tokens } = form;
  if (Object.keys(generateFaults(form)).length > 0) return null;
  if (temperature === "" || top_p === "" || n === "" || max_tokens === "") return null;
  return {
    generator: form.server,
    model: form.model.trim(),
    prompt: form.prompt,
    temperature,
    top_p,
    n,
    max_tokens,
    stop: stopTexts(form),
    seed: form.generate_seed === "" ? 0 : form.generate_seed,
    splitter: { kind: form.splitter, pattern: form.splitter === "custom" ? form.pattern : "" },
  };
}

/** Return the first reason why the round cannot be started, as a sentence; null if there is none. */
export function obstacle(form: StagedForm): string | null {
  if (stepsContradict(form)) return "The maximum of steps is below the minimum, so no trace matches.";
  const generating = form.generating ? generateFaults(form) : {};
  const [name, fault] = Object.entries({ ...generating, ...rulesFaults(form) })[0] ?? [];
  if (name && fault) return `${FIELD_NAMES[name] ?? name}: ${fault}`;
  return overlapFault(overlapOf(form));
}

const FIELD_NAMES: Record<string, string> = {
  server: "Server",
  model: "Model",
  prompt: "Prompt",
  n: "New traces of a problem",
  max_tokens: "At most tokens",
  temperature: "Temperature",
  top_p: "Top-p",
  stop: "Stop texts",
  pattern: "A step begins with",
  k: "Traces (K)",
  ratio: "Wrong answers",
  control_share: "Random control",
  per_problem_cap: "At most of a problem",
  budget: "At most in all",
  seed: "Seed",
  unsure: "Unsure steps",
  wavering: "Wavering model",
  disagreement: "Scorers disagree",
  typical: "Typical of their kind",
  like: "Like the named ones",
  other: "Held against",
  like_traces: "Like which traces",
};

/**
 * Return the PRM you most likely want: the promoted one, otherwise the ready one that has scored most of this project.
 * Models of outcomes do not count, as they say nothing about steps.
 */
export function bestPrm(prms: readonly Prm[]): number | null {
  const ready = prms.filter((prm) => prm.status === "ready" && prm.target === "steps");
  const selector = ready.find((prm) => prm.selector);
  if (selector) return selector.id;
  return ready.sort((one, other) => other.scored - one.scored)[0]?.id ?? null;
}

/** Return the chosen PRM. If none was chosen, or it is gone, return the one the address names, otherwise the best. */
export function prmInUse(
  chosen: StagedForm["prm"],
  prms: readonly Prm[] | undefined,
  named: number | undefined,
): StagedForm["prm"] {
  if (!prms || chosen === null || prms.some(({ id }) => id === chosen)) return chosen;
  return named ?? bestPrm(prms);
}

/** The part of a staged round that decides how many traces it can draw from. */
export type PoolQuestion = Pick<NewStagedRound, keyof NewStagedRound & keyof PoolCountQuestion>;

/** Return what the pool is counted for; null while the form is not ready to be counted. */
export function poolQuestion(form: StagedForm): PoolQuestion | null {
  const rules = rulesOf(form);
  const generate = form.generating ? generateOf(form) : null;
  if (rules === null || stepsContradict(form) || (form.generating && generate === null)) return null;
  return {
    ...rules,
    filter: { ...filterOf(form), outcome: undefined },
    prm: form.prm ?? null,
    grade: form.grade,
    rescore: !form.prm || form.rescore === "" ? 0 : form.rescore,
    generate,
  };
}

/** Return the request that starts the round; null while the form is incomplete. */
export function newStagedRound(form: StagedForm, clientKey: string): NewStagedRound | null {
  const question = poolQuestion(form);
  const overlap = sentOverlap(form);
  if (question === null || overlap === null) return null;
  return {
    ...question,
    name: form.name.trim(),
    ...overlap,
    protocol: form.protocol,
    priority: form.priority === "" ? 0 : form.priority,
    client_key: clientKey,
  };
}

/** Return why this PRM cannot score a round now; null if it can. */
export function prmObstacle(prm: Pick<Prm, "status" | "error">): string | null {
  if (prm.status === "ready") return null;
  if (prm.status === "faulty") return prm.error || "A worker could not read it.";
  if (prm.status === "retired") return "Retired by the operator. New rounds cannot use it.";
  return "No worker has checked it yet. It is checked as soon as a GPU worker runs.";
}

/** Return what you need to tell two PRMs apart. */
export function prmFacts(prm: Prm): string {
  const product: Record<string, string> = {
    product: "all steps multiplied",
    min: "its lowest step",
    mean: "the mean of its steps",
    last: "its last step",
  };
  return [
    prm.selector && "the project’s selector",
    prm.target === "outcome" && "judges final answers, not steps",
    prm.base && `trained from ${prm.base}`,
    originWords(prm),
    baselineWords(prm.baseline_not_beaten),
    prm.kind === "imported" ? "scores made elsewhere" : prm.server ? "asked over the network" : prm.dtype,
    product[prm.aggregation] && `a trace counts as ${product[prm.aggregation]}`,
    prm.scored > 0 ? `${countOf(prm.scored, "trace")} scored here already` : "no traces scored here yet",
  ]
    .filter(Boolean)
    .join(" · ");
}
