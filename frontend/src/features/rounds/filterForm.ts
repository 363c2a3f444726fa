import type { TraceFilter } from "@/api/projectTypes";
import type { Outcome } from "@/api/types";
import { countOf } from "@/ui/format";

/** What a trace must be like, as typed; an empty field asks for nothing. */
export interface FilterForm {
  outcome: Outcome | "";
  generator: string;
  subject: string;
  level: string;
  traceSource: string;
  steps_min: number | "";
  steps_max: number | "";
  unlabeled_only: boolean;
  /** These traces alone; empty: all that fit. */
  ids: number[];
}

export const EMPTY_FILTER: FilterForm = {
  outcome: "",
  generator: "",
  subject: "",
  level: "",
  traceSource: "",
  steps_min: "",
  steps_max: "",
  unlabeled_only: false,
  ids: [],
};

/** The filter the form stands for; only what was filled in. */
export function filterOf(form: FilterForm): TraceFilter {
  const filter: TraceFilter = {};
  if (form.outcome) filter.outcome = form.outcome;
  if (form.generator.trim()) filter.generator = form.generator.trim();
  if (form.subject.trim()) filter.subject = form.subject.trim();
  if (form.level.trim()) filter.level = form.level.trim();
  if (form.traceSource.trim()) filter.source = form.traceSource.trim();
  if (form.steps_min !== "") filter.steps_min = form.steps_min;
  if (form.steps_max !== "") filter.steps_max = form.steps_max;
  if (form.unlabeled_only) filter.unlabeled_only = true;
  if (form.ids.length > 0) filter.ids = form.ids;
  return filter;
}

/** The form that stands for a filter a round already has. */
export function filterFormOf(filter: TraceFilter | undefined): FilterForm {
  return {
    outcome: filter?.outcome || "",
    generator: filter?.generator ?? "",
    subject: filter?.subject ?? "",
    level: filter?.level ?? "",
    traceSource: filter?.source ?? "",
    steps_min: filter?.steps_min ?? "",
    steps_max: filter?.steps_max ?? "",
    unlabeled_only: filter?.unlabeled_only ?? false,
    ids: filter?.ids ?? [],
  };
}

/** At most fewer steps than at least: no trace can fit. */
export function stepsContradict({ steps_min, steps_max }: FilterForm): boolean {
  return steps_min !== "" && steps_max !== "" && steps_min > steps_max;
}

/** "wrong answer, level 5, 3 to 20 steps"; "all traces" for an empty filter. */
export function filterWords(filter: TraceFilter): string {
  const { steps_min: least, steps_max: most } = filter;
  const steps =
    least && most
      ? `${least} to ${most} steps`
      : least
        ? `${least} steps or more`
        : most
          ? `${most} steps or fewer`
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
    filter.ids && filter.ids.length > 0 && countOf(filter.ids.length, "picked trace"),
  ].filter(Boolean);
  return words.length > 0 ? words.join(", ") : "all traces";
}
