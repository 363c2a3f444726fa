import type {
  NewTrainingRun,
  TrainingMethod,
  TrainingNumbers,
  TrainingOptions,
  TrainingQuestion,
  TrainingTarget,
} from "@/api/trainingTypes";
import { methodToBegin } from "./prmWords";
import { roundsWithLabels } from "./RoundTicks";

/** What the form of a training holds, as typed; `""` is an empty number field. */
export interface TrainingForm {
  /** The rounds, by ids as text. */
  chosen: string[];
  name: string;
  base: string;
  /** `null`: not chosen, so what suits the target. */
  method: TrainingMethod | null;
  target: TrainingTarget;
  /** Wrong steps made to practise on, as text. */
  made: string;
  layers: number | "";
  dtype: TrainingNumbers | "";
  seed: number | "";
  switches: Record<string, string>;
  /** What a step of a source weighs, by its id, of those that teach. */
  weights: Record<number, number>;
  /** The rollouts that progress is measured by: a source's id as text. */
  measured: string;
}

/** What of an address fills the form. */
export const TRAINING_LINK = ["round", "hasty"];

export function emptyTraining(options: TrainingOptions, params: URLSearchParams): TrainingForm {
  return {
    chosen: firstChoice(options, params.get("round")),
    name: "",
    base: options.bases[0] ?? "",
    method: null,
    target: "steps",
    made: "0",
    layers: "",
    dtype: "",
    seed: 0,
    switches: params.get("hasty") === "exclude" ? { hasty: "exclude" } : {},
    weights: {},
    measured: String(rolloutsOf(options)[0]?.id ?? ""),
  };
}

/** The round of the address and those before it, else all: every label there is by then, as more of them teach more. */
function firstChoice({ rounds }: TrainingOptions, asked: string | null): string[] {
  const newest = rounds.find((round) => String(round.id) === asked);
  if (!newest) return roundsWithLabels(rounds);
  return [asked ?? "", ...roundsWithLabels(rounds.filter((round) => round.number < newest.number))];
}

export function rolloutsOf({ sources }: TrainingOptions) {
  return sources.filter(({ kind }) => kind === "rollouts");
}

/** The form without choices that are no longer there: it may have been left a while ago. */
export function stillOffered(form: TrainingForm, options: TrainingOptions): TrainingForm {
  const rounds = new Set(options.rounds.map(({ id }) => String(id)));
  const sources = new Set(options.sources.map(({ id }) => String(id)));
  const rollouts = rolloutsOf(options).map(({ id }) => String(id));
  return {
    ...form,
    chosen: form.chosen.filter((id) => rounds.has(id)),
    base: options.bases.includes(form.base) ? form.base : (options.bases[0] ?? ""),
    weights: Object.fromEntries(Object.entries(form.weights).filter(([id]) => sources.has(id))),
    measured: rollouts.includes(form.measured) ? form.measured : (rollouts[0] ?? ""),
  };
}

/** Whose labels, and how they count. */
export function trainingQuestion({ chosen, switches }: TrainingForm): TrainingQuestion {
  return { round_ids: chosen.map(Number), switches };
}

export const methodOf = ({ method, target }: TrainingForm): TrainingMethod => method ?? methodToBegin(target);

/** Does the base itself learn, and not a head alone? */
export function baseLearns(form: TrainingForm): boolean {
  return methodOf(form) === "lora" || methodOf(form) === "full";
}

/** Can it practise on wrong steps that were made? */
export function canMake(form: TrainingForm): boolean {
  return baseLearns(form) && form.target === "steps";
}

/** The request that begins the training. */
export function newTraining(form: TrainingForm): NewTrainingRun {
  const learns = baseLearns(form);
  return {
    ...trainingQuestion(form),
    name: form.name.trim(),
    base: form.base,
    method: methodOf(form),
    target: form.target,
    seed: form.seed === "" ? 0 : form.seed,
    synthetic_errors: canMake(form) ? Number(form.made) : 0,
    layers: learns && form.layers !== "" ? form.layers : 0,
    dtype: learns ? form.dtype : "",
    sources: teachersOf(form),
  };
}

/** The machines that a training asks for, each with its weight. */
function teachersOf({ target, weights, measured }: TrainingForm) {
  if (target === "progress") return measured ? [{ id: Number(measured), weight: 1 }] : [];
  return target === "steps" ? Object.entries(weights).map(([id, weight]) => ({ id: Number(id), weight })) : [];
}
