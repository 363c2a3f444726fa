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

/** The values of the form for a training, as typed; `""` is an empty number field. */
export interface TrainingForm {
  /** The rounds, by ids as text. */
  chosen: string[];
  name: string;
  base: string;
  /** `null` if not chosen: then what suits the target is used. */
  method: TrainingMethod | null;
  target: TrainingTarget;
  /** How many wrong steps to make for practice, as text. */
  made: string;
  layers: number | "";
  dtype: TrainingNumbers | "";
  seed: number | "";
  switches: Record<string, string>;
  /** The weight of a source's steps, by source id, for the sources that teach. */
  weights: Record<number, number>;
  /** The rollouts that measure progress: a source's id as text. */
  measured: string;
}

/** The parameters of an address that fill in the form. */
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

/**
 * Return the address's round and earlier ones with labels, as more labels teach more. Without one, return all rounds.
 */
function firstChoice({ rounds }: TrainingOptions, asked: string | null): string[] {
  const newest = rounds.find((round) => String(round.id) === asked);
  if (!newest) return roundsWithLabels(rounds);
  return [asked ?? "", ...roundsWithLabels(rounds.filter((round) => round.number < newest.number))];
}

export function rolloutsOf({ sources }: TrainingOptions) {
  return sources.filter(({ kind }) => kind === "rollouts");
}

/** Return the form without choices that no longer exist: it may have been left a while ago. */
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

/** Return whose labels to use, and how they count. */
export function trainingQuestion({ chosen, switches }: TrainingForm): TrainingQuestion {
  return { round_ids: chosen.map(Number), switches };
}

export const methodOf = ({ method, target }: TrainingForm): TrainingMethod => method ?? methodToBegin(target);

/** Return whether the base itself is trained, not only a head. */
export function baseLearns(form: TrainingForm): boolean {
  return methodOf(form) === "lora" || methodOf(form) === "full";
}

/** Return whether it can practise on made-up wrong steps. */
export function canMake(form: TrainingForm): boolean {
  return baseLearns(form) && form.target === "steps";
}

/** Return the request that starts the training. */
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

/** Return the machines that a training asks for, each with its weight. */
function teachersOf({ target, weights, measured }: TrainingForm) {
  if (target === "progress") return measured ? [{ id: Number(measured), weight: 1 }] : [];
  return target === "steps" ? Object.entries(weights).map(([id, weight]) => ({ id: Number(id), weight })) : [];
}
