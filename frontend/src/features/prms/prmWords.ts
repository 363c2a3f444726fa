import type { Prm } from "@/api/roundTypes";
import type { Estimate, EvaluationFigure, TrainingMethod, TrainingPreview, TrainingTarget } from "@/api/trainingTypes";
import type { Tone } from "@/ui/charts/ChartFigure";
import { figureWords } from "@/ui/charts/FigureRows";
import type { Standing } from "@/ui/figureWords";
import { countOf, formatCount } from "@/ui/format";
import type { StatusTone } from "@/ui/StatusMark";

export const METHODS = [
  {
    value: "stacked" as const,
    name: "Stacked head",
    means:
      "The base does not change. A small head reads several of its layers and how likely the base found each word. It learns more from few labels of mathematics, and as much from labels of code and puzzles, so start with it. The base must be a whole language model. Only Stepmark can load the result, and it scores more slowly than a head on a middle layer.",
  },
  {
    value: "head" as const,
    name: "Head only",
    means:
      "The base does not change. A small head is fitted on one of its layers. Takes minutes on a laptop, and seconds the next time. Other programs can load it too.",
  },
  { value: "lora" as const, name: "LoRA", means: "Small changes to the whole base. Needs a GPU." },
  { value: "full" as const, name: "All weights", means: "Trains every weight. Needs a large GPU and many labels." },
];

/**
 * Return the form's initial method: the head that learns more from few labels, unless only the plain one can be fitted.
 */
export function methodToBegin(target: TrainingTarget): TrainingMethod {
  return target === "progress" ? "head" : "stacked";
}

export const TARGETS = [
  { value: "steps" as const, name: "Steps (PRM)", means: "Learns from people’s ratings: is this step right?" },
  {
    value: "outcome" as const,
    name: "Outcomes (ORM)",
    means: "Learns only whether the final answer was right. Use it for comparison.",
  },
  {
    value: "progress" as const,
    name: "Steps and progress (PAV)",
    means:
      "A PRM with a second head that predicts how much a step changes the chance of success, as measured by rollouts.",
  },
];

export const SWITCHES = [
  {
    name: "neutral",
    label: "Neutral steps (0) count as",
    values: [
      { value: "positive", label: "right" },
      { value: "negative", label: "wrong" },
      { value: "drop", label: "nothing: left out" },
    ],
  },
  {
    name: "aggregate",
    label: "Several labels of a trace",
    values: [
      { value: "each", label: "each counts" },
      { value: "majority", label: "one row, by majority" },
      { value: "adjudicated", label: "what was settled" },
    ],
  },
  {
    name: "alternatives",
    label: "Rated alternatives",
    values: [
      { value: "none", label: "are left out" },
      { value: "rows", label: "are learned too" },
    ],
  },
  {
    name: "human_steps",
    label: "Steps written by labelers",
    values: [
      { value: "include", label: "count as right" },
      { value: "exclude", label: "are left out" },
    ],
  },
  {
    name: "observed",
    label: "What agents saw between their steps",
    values: [
      { value: "folded", label: "is read with the next step, shortened" },
      { value: "left_out", label: "is left out" },
    ],
  },
  {
    name: "imported",
    label: "Labels that came with imports",
    values: [
      { value: "include", label: "are learned too" },
      { value: "exclude", label: "are left out" },
    ],
  },
];

/** What a training's form does not ask in a field of its own, but a run reports. */
const TOLD = [
  { name: "after_error", label: "Steps after the first error", values: [{ value: "truncate", label: "are left out" }] },
  ...[
    { name: "surplus", label: "Surplus labels" },
    { name: "hasty", label: "Hasty labels" },
  ].map((one) => ({
    ...one,
    values: [
      { value: "include", label: "are learned too" },
      { value: "exclude", label: "are left out" },
    ],
  })),
];

/** Return a switch of a run in the form's words, or as stored if they are no longer known. */
export function switchFact(name: string, value: string): [string, string] {
  const known = [...SWITCHES, ...TOLD].find((one) => one.name === name);
  return [known?.label ?? name, known?.values.find((one) => one.value === value)?.label ?? value];
}

/** How many wrong steps the trainer itself makes for each right one. */
export const SYNTHETIC_ERRORS = [
  { value: "0", label: "none: only people’s labels" },
  { value: "1", label: "one for each right step" },
  { value: "2", label: "two for each right step" },
  { value: "4", label: "four for each right step" },
];

/** The number formats in which a base that is trained can be trained and stored. */
export const DTYPES = [
  { value: "", label: "what suits the worker best" },
  { value: "float32", label: "float32: exact, twice the memory" },
  { value: "bfloat16", label: "bfloat16: half the memory, less exact" },
];

export const CURVES: Record<string, { name: string; tone: Tone; dashed?: boolean }> = {
  loss: { name: "training loss", tone: "zero" },
  validation_loss: { name: "validation loss", tone: "focus" },
  validation_auc: { name: "validation AUC", tone: "plus" },
};

const STEP_FIGURES = new Set([
  "auc",
  "auc_given_position",
  "average_precision",
  "accuracy",
  "f1_negative",
  "macro_f1",
  "ece",
  "brier",
]);

type Beside = Standing | "not better";

/**
 * Return how a figure compares with the baseline's, by the interval of the paired difference, which the server judges.
 * Which of two numbers is larger says nothing on its own. Older reports have this for step AUC only (`beats`).
 */
export function besideBaseline(
  figure: Pick<EvaluationFigure, "name" | "gain" | "standing">,
  beats: boolean | null,
): Beside {
  if (figure.gain) return figure.standing ?? "unknown";
  if (figure.name !== "auc" || beats === null) return "unknown";
  return beats ? "better" : "not better";
}

const BESIDE: Record<Beside, { word: string; tone: Tone }> = {
  better: { word: "better", tone: "plus" },
  worse: { word: "worse", tone: "minus" },
  "not better": { word: "not better", tone: "warn" },
  undecided: { word: "undecided", tone: "zero" },
  unknown: { word: "not known", tone: "zero" },
};

/** Return the note under a figure: what it is based on, and which is better. */
export function figureNote(figure: EvaluationFigure, beats: boolean | null): string {
  const unit = countOf(figure.n, STEP_FIGURES.has(figure.name) ? "step" : "trace");
  if (figure.value === null) return figure.n === 0 ? "no data to measure it on" : `undefined for these ${unit}`;
  if (figure.baseline === null) return unit;
  return `baseline ${figure.baseline.toFixed(3)} · ${BESIDE[besideBaseline(figure, beats)].word} · ${unit}`;
}

export function figureTone(figure: EvaluationFigure, beats: boolean | null): Tone {
  if (figure.value === null || figure.baseline === null) return "zero";
  return BESIDE[besideBaseline(figure, beats)].tone;
}

export const PICKS: Record<string, { name: string; tone: Tone; dashed?: boolean; first: boolean }> = {
  prm_product: { name: "PRM, product", tone: "plus", first: true },
  prm_min: { name: "PRM, lowest step", tone: "focus", first: true },
  prm_mean: { name: "PRM, mean", tone: "warn", first: false },
  prm_last: { name: "PRM, last step", tone: "minus", first: false },
  vote_product: { name: "vote weighted by PRM", tone: "warn", first: true },
  vote_min: { name: "vote weighted by lowest step", tone: "focus", dashed: true, first: false },
  orm: { name: "ORM", tone: "minus", first: true },
  majority: { name: "majority vote", tone: "minus", dashed: true, first: true },
  oracle: { name: "oracle (any is right)", tone: "plus", dashed: true, first: true },
  random: { name: "random", tone: "zero", dashed: true, first: true },
};

/** "0.840, 95 %: 0.79 to 0.88", "n/a". */
export function estimateWords(estimate: Estimate | null): string {
  return estimate ? figureWords(estimate) : "n/a";
}

/** Return how many labels can teach a model of this target. For outcomes, only traces with a graded answer count. */
export function learnedFrom(preview: TrainingPreview, target: TrainingTarget): number {
  return target === "outcome" ? preview.right_answers + preview.wrong_answers : preview.learned;
}

/** Return what happened to the labels that are not learned. */
export function leftOutWords(preview: TrainingPreview, target: TrainingTarget = "steps"): string[] {
  const ungraded = preview.learned - learnedFrom(preview, target);
  const { in_evaluation_split, problems_in_evaluation_split, unfinished, left_out } = preview;
  return [
    in_evaluation_split > 0 &&
      `${countOf(in_evaluation_split, "label")} on ${countOf(problems_in_evaluation_split, "problem")} in the evaluation split: one fifth of all problems is used only for evaluation`,
    ungraded > 0 && `${formatCount(ungraded)} of traces whose answer is not graded, so the outcome is unknown`,
    unfinished > 0 && `${formatCount(unfinished)} given up or marked as a bad problem`,
    left_out.imported > 0 && `${formatCount(left_out.imported)} that came with imports`,
    left_out.surplus > 0 && `${formatCount(left_out.surplus)} surplus`,
    left_out.hasty > 0 && `${formatCount(left_out.hasty)} hasty`,
    left_out.majority > 0 &&
      `${formatCount(left_out.majority)} of traces where the labels tie, or where another label represents the majority`,
    left_out.other > 0 &&
      `${formatCount(left_out.other)} held out, in an evaluation set, or changed after the scores were seen`,
  ].filter((one) => one !== false);
}

/** How a trace's score is computed from its steps' scores. */
export const AGGREGATIONS = {
  product: "all steps multiplied",
  min: "its lowest step",
  mean: "the mean of its steps",
  last: "its last step",
};

export const PRM_STATUSES: Record<Prm["status"], { name: string; tone: StatusTone }> = {
  ready: { name: "ready", tone: "good" },
  unchecked: { name: "being checked", tone: "quiet" },
  faulty: { name: "cannot be used", tone: "bad" },
  retired: { name: "retired", tone: "quiet" },
};

/** The names of other PRMs in the list that give the same scores: the same fingerprint, and still offered. */
export function twinsOf(prm: Prm, among: readonly Prm[]): string[] {
  if (!prm.fingerprint || prm.status === "retired") return [];
  return among
    .filter((one) => one.id !== prm.id && one.fingerprint === prm.fingerprint && one.status !== "retired")
    .map((one) => one.name);
}
