import type { TraceFilter } from "@/api/projectTypes";
import type { Outcome } from "@/api/types";
import { countOf } from "@/ui/format";
import type { Split } from "@/ui/splitWords";

export type FirstError = Exclude<NonNullable<TraceFilter["first_error"]>, "">;

/** Which traces to take, as typed. An empty field sets no condition. */
export interface FilterForm {
  outcome: Outcome | "";
  split: Split | "";
  generator: string;
  subject: string;
  level: string;
  traceSource: string;
  steps_min: number | "";
  steps_max: number | "";
  unlabeled_only: boolean;
  /** According to labels; steps are counted from 1 here. */
  first_error: FirstError | "";
  error_from: number | "";
  error_to: number | "";
  /** According to the scores of `scored_by`. */
  score_min: number | "";
  score_max: number | "";
  scored_by: number | "";
  /** Only these traces; if empty, all that match. */
  ids: number[];
}

export const EMPTY_FILTER: FilterForm = {
  outcome: "",
  split: "",
  generator: "",
  subject: "",
  level: "",
  traceSource: "",
  steps_min: "",
  steps_max: "",
  unlabeled_only: false,
  first_error: "",
  error_from: "",
  error_to: "",
  score_min: "",
  score_max: "",
  scored_by: "",
  ids: [],
};

/** Return the form's filter, with only what was filled in. */
export function filterOf(form: FilterForm): TraceFilter {
  const filter: TraceFilter = {};
  if (form.outcome) filter.outcome = form.outcome;
  if (form.split) filter.split = form.split;
  if (form.generator.trim()) filter.generator = form.generator.trim();
  if (form.subject.trim()) filter.subject = form.subject.trim();
  if (form.level.trim()) filter.level = form.level.trim();
  if (form.traceSource.trim()) filter.source = form.traceSource.trim();
  if (form.steps_min !== "") filter.steps_min = form.steps_min;
  if (form.steps_max !== "") filter.steps_max = form.steps_max;
  if (form.unlabeled_only) filter.unlabeled_only = true;
  if (form.first_error) filter.first_error = form.first_error;
  if (form.error_from !== "") filter.error_min = form.error_from - 1;
  if (form.error_to !== "") filter.error_max = form.error_to - 1;
  if (form.score_min !== "") filter.score_min = form.score_min;
  if (form.score_max !== "") filter.score_max = form.score_max;
  if (form.scored_by !== "" && (form.score_min !== "" || form.score_max !== "")) filter.scorer = form.scored_by;
  if (form.ids.length > 0) filter.ids = form.ids;
  return filter;
}

/** Return the form for a round's existing filter. */
export function filterFormOf(filter: TraceFilter | undefined): FilterForm {
  return {
    outcome: filter?.outcome || "",
    split: filter?.split || "",
    generator: filter?.generator ?? "",
    subject: filter?.subject ?? "",
    level: filter?.level ?? "",
    traceSource: filter?.source ?? "",
    steps_min: filter?.steps_min ?? "",
    steps_max: filter?.steps_max ?? "",
    unlabeled_only: filter?.unlabeled_only ?? false,
    first_error: filter?.first_error || "",
    error_from: fromOne(filter?.error_min),
    error_to: fromOne(filter?.error_max),
    score_min: filter?.score_min ?? "",
    score_max: filter?.score_max ?? "",
    scored_by: filter?.scorer ?? "",
    ids: filter?.ids ?? [],
  };
}

/** Return a step counted from 0 as people count it, from 1. */
function fromOne(step: number | null | undefined): number | "" {
  return step === null || step === undefined ? "" : step + 1;
}

/** Return whether the maximum of steps is below the minimum, so that no trace can match. */
export function stepsContradict({ steps_min, steps_max }: FilterForm): boolean {
  return steps_min !== "" && steps_max !== "" && steps_min > steps_max;
}

/** "score 0.2 or more", "first error at step 2 to 5": the text for a minimum and a maximum. */
function rangeWords(name: string, least: number | null | undefined, most: number | null | undefined): string {
  const [from, to] = [least, most].map((bound) => (typeof bound === "number" ? formatBound(bound) : ""));
  if (from && to) return from === to ? `${name} ${from}` : `${name} ${from} to ${to}`;
  if (from) return `${name} ${from} or more`;
  return to ? `${name} ${to} or less` : "";
}

function formatBound(value: number): string {
  return String(value).replace("-", "−");
}

const FIRST_ERROR_SAYS: Record<FirstError, string> = {
  none: "no error as labels say",
  some: "an error as labels say",
  differ: "labels differ",
};

function errorWords(filter: TraceFilter): string {
  const steps = [filter.error_min, filter.error_max].map((step) => (typeof step === "number" ? step + 1 : null));
  const range = rangeWords("first error at step", ...(steps as [number | null, number | null]));
  if (range) return range.replace("or more", "or later").replace("or less", "or earlier");
  return filter.first_error ? FIRST_ERROR_SAYS[filter.first_error] : "";
}

/** "outcome wrong, level 5, 3 to 20 steps"; "all traces" for an empty filter. */
export function filterWords(filter: TraceFilter): string {
  const { steps_min: least, steps_max: most } = filter;
  const steps =
    least && most
      ? `${least} to ${countOf(most, "step")}`
      : least
        ? `${countOf(least, "step")} or more`
        : most
          ? `${countOf(most, "step")} or fewer`
          : "";
  const words = [
    filter.outcome && `outcome ${filter.outcome}`,
    filter.generator && `generator ${filter.generator}`,
    filter.source && `source ${filter.source}`,
    filter.subject && `subject ${filter.subject}`,
    filter.level && `level ${filter.level}`,
    filter.split && `split ${filter.split.replace("_", " ")}`,
    steps,
    filter.unlabeled_only && "labeled by nobody",
    errorWords(filter),
    rangeWords("score", filter.score_min, filter.score_max),
    filter.ids && filter.ids.length > 0 && countOf(filter.ids.length, "picked trace"),
  ].filter(Boolean);
  return words.length > 0 ? words.join(", ") : "all traces";
}
