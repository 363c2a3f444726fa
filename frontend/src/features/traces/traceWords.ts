/** Texts of the list of traces. Pure. */

import type { ChangedTraces, ListedTrace, TraceFacets } from "@/api/projectTypes";
import type { FacetGroup } from "@/ui/Faceted";
import { countOf, formatCount } from "@/ui/format";
import { SPLIT_WORDS } from "@/ui/splitWords";
import { formatTraceScore } from "@/ui/trace/score";
import { OUTCOME_WORDS, stepName } from "@/ui/trace/words";

/** Every filter of the list, as named in the address and by the server. `order` is not a filter. */
export const FILTERS = [
  ...(["q", "outcome", "generator", "source", "subject", "level", "split", "labeled"] as const),
  ...(["steps_min", "steps_max", "first_error", "error_min", "error_max", "score_min", "score_max"] as const),
] as const;
export type TraceFilterName = (typeof FILTERS)[number];
export type TraceFilters = Record<TraceFilterName | "order", string>;

const ORDERS = [
  { value: "", label: "oldest first" },
  { value: "newest", label: "newest first" },
  { value: "longest", label: "most steps first" },
  { value: "shortest", label: "fewest steps first" },
];
const BY_SCORE = { value: "score", label: "highest score first" };

/** Return the available orders. By score is one of them if there is a scorer, or if the address asks for it. */
export function ordersOf(scorer: TraceFacets["scorer"] | undefined, chosen: string) {
  return scorer || chosen === BY_SCORE.value ? [...ORDERS, BY_SCORE] : ORDERS;
}

/** By score, traces are listed one outcome at a time: wrong ones, unless another outcome was chosen. */
export function inOrder(filters: TraceFilters, changes: Partial<TraceFilters>): Partial<TraceFilters> {
  const asked = { ...filters, ...changes };
  if (asked.order !== BY_SCORE.value || asked.outcome !== "") return changes;
  return changes.outcome === "" ? { ...changes, order: "" } : { ...changes, outcome: "wrong" };
}

/** Return what the list in this order leaves out; empty if it has everything that matches. */
export function orderWords(filters: TraceFilters, scorer: TraceFacets["scorer"] | undefined): string {
  return filters.order === BY_SCORE.value && scorer
    ? `Ordered by the score of ${scorer.name}. Traces that it has not scored are not listed, and only one outcome is listed at a time.`
    : "";
}

/** What the page says if no trace is listed. `byOrder`: another order would list some. */
export interface NoneWords {
  title: string;
  says: string;
  byOrder: boolean;
}

/**
 * Return why no trace is listed: the order leaves them out, or none match. Mentions the search only if there is one.
 */
export function noneWords(filters: TraceFilters, facets: Pick<TraceFacets, "scorer" | "total"> | undefined): NoneWords {
  if (facets && filters.order === BY_SCORE.value) {
    const { scorer, total } = facets;
    const ways = "Have them scored by a round or a scoring, or choose another order.";
    if (!scorer) return { title: "There are no scores here", says: "The project has no selector yet.", byOrder: true };
    if (total > 0) return { title: `${scorer.name} has not scored any of these traces`, says: ways, byOrder: true };
  }
  const says = filters.q ? "Steps are searched by word stem, problems by the exact text." : "";
  return { title: "No traces match these filters", says, byOrder: false };
}

const TITLES: Partial<Record<TraceFilterName, string>> = {
  outcome: "Outcome",
  labeled: "Labeled",
  generator: "Generator",
  source: "Source",
  subject: "Subject",
  level: "Level",
  split: "Split",
  first_error: "First error by labels",
};

const VALUES: Partial<Record<TraceFilterName, Record<string, string>>> = {
  outcome: OUTCOME_WORDS,
  labeled: { yes: "by somebody", no: "by nobody" },
  split: SPLIT_WORDS,
  first_error: { none: "no error", some: "at a step", differ: "labels differ" },
};

const FIRST_ERROR_CHIPS: Record<string, string> = {
  none: "labels say: no error",
  some: "labels say: an error",
  differ: "labels differ",
};

/** Return the filters that are set. */
export function given(filters: TraceFilters): TraceFilterName[] {
  return FILTERS.filter((name) => filters[name] !== "");
}

/** Return the page's first line: what is in view. */
export function headline(facets: TraceFacets | undefined, filters: TraceFilters): string {
  if (!facets) return "Traces";
  if (given(filters).length === 0) return facets.total === 0 ? "Traces" : countOf(facets.total, "trace");
  if (facets.capped)
    return `At least ${countOf(facets.total, "trace")} ${facets.total === 1 ? "matches" : "match"}: only the first thousand with these words were checked`;
  return `${countOf(facets.total, "trace")} ${facets.total === 1 ? "matches" : "match"}`;
}

/** Return what the search does not cover yet; empty if it covers everything. */
export function unsearchedWords(facets: TraceFacets | undefined): string {
  const waiting = facets?.unsearched ?? 0;
  if (waiting === 0) return "";
  const [traces, they] = [countOf(waiting, "trace"), waiting === 1 ? "it" : "they"];
  return `${traces} ${waiting === 1 ? "is" : "are"} not searchable yet; ${they} will be within minutes.`;
}

/** Return the facets next to the list. A facet with a single value is left out, unless it is filtered by. */
export function facetGroups(facets: TraceFacets, filters: TraceFilters): FacetGroup<TraceFilterName>[] {
  return facets.facets
    .map((facet) => {
      const name = facet.name as TraceFilterName;
      const rows = facet.values.filter((one) => one.traces > 0 || filters[name] === one.value);
      const values = rows.map(({ value, traces }) => ({ value, words: VALUES[name]?.[value] ?? value, count: traces }));
      return { name, title: TITLES[name] ?? name, values, more: facet.more };
    })
    .filter(({ name, values }) => values.length > 1 || (values.length === 1 && filters[name] !== ""));
}

/** Return the text of a filter's chip. */
export function filterSays(name: TraceFilterName, value: string): string {
  if (name === "steps_min") return `${countOf(Number(value), "step")} or more`;
  if (name === "steps_max") return `${countOf(Number(value), "step")} or fewer`;
  if (name === "error_min") return `first error at ${stepName(Number(value))} or later`;
  if (name === "error_max") return `first error at ${stepName(Number(value))} or earlier`;
  if (name === "score_min") return `score ${signed(Number(value))} or more`;
  if (name === "score_max") return `score ${signed(Number(value))} or less`;
  if (name === "first_error") return FIRST_ERROR_CHIPS[value] ?? value;
  return `${(TITLES[name] ?? name).toLowerCase()}: ${VALUES[name]?.[value] ?? value}`;
}

/** What labels and the selector say about a listed trace, one per line: "first error: step 3", "score 0.24". */
export function saidOf({ first_error: step, labels_differ, score }: ListedTrace, scale: string): string[] {
  const told = step === null ? "" : step < 0 ? "labels: no error" : `first error: ${stepName(step)}`;
  return [labels_differ ? "labels differ" : told, score === null ? "" : `score ${scoreWords(score, scale)}`].filter(
    Boolean,
  );
}

function scoreWords(score: number, scale: string): string {
  if (scale !== "probability") return signed(Number(score.toFixed(2)));
  return score === 0 ? "0" : formatTraceScore(Math.log(score));
}

/**
 * Return the address of the form for a round of the matching traces, by the scores of `scorer`. Null if a filter is set
 * that rounds do not have.
 */
export function roundOfFitting(filters: TraceFilters, scorer?: number): string | null {
  if (filters.q) return null;
  const asked = new URLSearchParams({ traces: "filter" });
  for (const name of given(filters)) {
    if (name !== "labeled") asked.set(name, filters[name]);
    else if (filters.labeled === "no") asked.set("unlabeled", "true");
    else return null;
  }
  if (filters.score_min || filters.score_max) {
    if (scorer === undefined) return null;
    asked.set("scored_by", String(scorer));
  }
  return `rounds/new?${asked}`;
}

/** Return why no round of the matching traces is offered; empty if one is, or if nothing matches. */
export function noRoundWords(filters: TraceFilters, facets: TraceFacets | undefined): string {
  if (!filters.q || !facets?.total) return "";
  return "You cannot make a round from a text search. Pick traces below to make a round of them, or clear the search.";
}

function signed(value: number): string {
  return String(value).replace("-", "−");
}

/** Return the address of the form for a round of traces like these. */
export function roundOfAlike(ids: Iterable<number>): string {
  return `rounds/new?kind=convincing&like_traces=${[...ids].sort((one, other) => one - other).join(",")}`;
}

/** Return the address of a problem's tree, open at one of its traces. */
export function treeOf(problem: number, trace: number): string {
  return `traces/problems/${problem}?trace=${trace}`;
}

/** Return the address of the form for a round of exactly these traces. */
export function roundOfPicked(ids: Iterable<number>): string {
  return `rounds/new?traces=filter&ids=${[...ids].sort((one, other) => one - other).join(",")}`;
}

/** "1 of 2 traces made gold; for the other, no first error is known." */
export function madeGoldWords({ changed, already, unknown }: ChangedTraces): string {
  const picked = changed + already + unknown;
  if (picked === changed) return `${countOf(changed, "trace")} made gold.`;
  const other = (count: number) =>
    count === picked - changed ? (count === 1 ? "the other" : "the others") : formatCount(count);
  const parts = [
    `${formatCount(changed)} of ${countOf(picked, "trace")} made gold`,
    already > 0 && `${other(already)} ${already === 1 ? "was" : "were"} already gold`,
    unknown > 0 && `for ${other(unknown)}, no first error is known`,
  ];
  return `${parts.filter(Boolean).join("; ")}.`;
}

/** "1 of 2 problems held out; the other was already." */
export function heldOutWords({ changed, already }: ChangedTraces): string {
  if (already === 0) return `${countOf(changed, "problem")} held out.`;
  const were = already === 1 ? "the other was already" : "the others were already";
  return `${formatCount(changed)} of ${countOf(changed + already, "problem")} held out; ${were}.`;
}
