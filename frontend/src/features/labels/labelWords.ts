/** Texts of the list of labels. Pure. */
import type { LabelChange, LabelChangeKind, LabelFacets, ListedLabel } from "@/api/labelListTypes";
import { countOf, formatCount, formatDateTime } from "@/ui/format";
import { stepName } from "@/ui/trace/words";

/** Every filter of the list, as named in the address and by the server. */
export const FILTERS = [
  ...(["labeler", "round", "verdict", "step", "pace", "agreement", "source", "kind", "reviewed"] as const),
  ...(["excluded", "tag", "why", "since", "until", "q"] as const),
] as const;
export type LabelFilter = (typeof FILTERS)[number];
export type LabelFilters = Record<LabelFilter, string>;

/** The facets of the list in order, with their titles and values. Values without words here are names. */
export const FACETS: { name: LabelFilter; title: string; values?: Record<string, string> }[] = [
  {
    name: "why",
    title: "Why to look",
    values: { hasty: "hasty", disputed: "others differ", surprising: "surprising" },
  },
  { name: "labeler", title: "Labeler" },
  { name: "round", title: "Round" },
  {
    name: "verdict",
    title: "Verdict",
    values: { error: "error at a step", no_error: "no error", give_up: "gave up", bad_problem: "bad problem" },
  },
  {
    name: "pace",
    title: "Seconds per step",
    values: {
      under_2: "under 2",
      "2_to_5": "2 to 5",
      "5_to_15": "5 to 15",
      "15_to_60": "15 to 60",
      over_60: "60 and more",
    },
  },
  {
    name: "agreement",
    title: "Other labels of the task",
    values: { alone: "none", agrees: "agree", differs: "differ" },
  },
  { name: "reviewed", title: "Reviewed", values: { no: "not yet", yes: "reviewed" } },
  { name: "excluded", title: "Left out", values: { no: "no", yes: "left out" } },
  { name: "source", title: "Source", values: { person: "person", imported: "imported" } },
  {
    name: "kind",
    title: "Task",
    values: { work: "work", gold: "gold", screening: "screening", imported_qc: "imported quality control" },
  },
];

const REASONS: Record<string, string> = {
  hasty: "hasty",
  disputed: "others differ",
  surprising: "surprising",
  any: "hasty, differing or surprising",
};

/** Return the filters that are set. */
export function given(filters: LabelFilters): Partial<LabelFilters> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "")) as Partial<LabelFilters>;
}

/** Return the page's first line: what is in view, in a sentence. */
export function headline(facets: LabelFacets | undefined, filters: LabelFilters): string {
  if (!facets) return "Labels";
  if (facets.all === 0) return "Labels";
  const asked = Object.keys(given(filters));
  if (asked.length === 0) return countOf(facets.all, "label");
  if (asked.length === 1 && filters.why === "any") {
    if (facets.total === 0) return "No labels need a look";
    return `${countOf(facets.total, "label")} ${facets.total === 1 ? "needs" : "need"} a look`;
  }
  return `${formatCount(facets.total)} of ${countOf(facets.all, "label")}`;
}

/** Return the text of a filter's chip: "labeler Ada", or the search words for "q". */
export function filterWords(name: LabelFilter, value: string, facets: LabelFacets | undefined): string {
  if (name === "q") return `“${value}”`;
  if (name === "why") return REASONS[value] ?? value;
  if (name === "tag") return `tag ${value}`;
  if (name === "step") return `first error at ${stepName(Number(value))}`;
  if (name === "since") return `since ${momentWords(value)}`;
  if (name === "until") return `before ${momentWords(value)}`;
  const facet = FACETS.find((one) => one.name === name);
  const known = facets?.facets.find((one) => one.name === name)?.values.find((one) => one.value === value);
  return `${facet?.title.toLowerCase() ?? name}: ${known?.name || (facet?.values?.[value] ?? value)}`;
}

/** Return a moment by the reader's clock; anything else as it is in the address. */
function momentWords(value: string): string {
  return Number.isNaN(Date.parse(value)) ? value : formatDateTime(value);
}

/** "error at step 4", "no error", "gave up". */
export function verdictOf({ finish_reason, verdict }: Pick<ListedLabel, "finish_reason" | "verdict">): string {
  if (finish_reason === "solution") return "no error";
  if (finish_reason === "bad_problem") return "bad problem";
  if (finish_reason === "give_up") return "gave up";
  return verdict === null ? "error elsewhere" : `error at ${stepName(verdict)}`;
}

/** -ln 0.05: the model gives the rating one chance in twenty. */
const SURPRISING = 2.995;

export function reasonsOf(label: ListedLabel): string[] {
  return [
    label.hasty && "hasty",
    label.agreement === "differs" && "others differ",
    (label.surprisal ?? 0) >= SURPRISING && "surprising",
  ].filter((one): one is string => one !== false);
}

/** "0.9", "14"; "n/a" if nothing was timed. */
export function secondsOf(seconds: number | null): string {
  if (seconds === null) return "n/a";
  return seconds < 9.95 ? seconds.toFixed(1) : formatCount(Math.round(seconds));
}

interface ActionWords {
  name: string;
  /** What will happen to this many labels, as the dialog says beforehand. */
  means: string;
  done: string;
}

export const ACTIONS: Record<LabelChangeKind, ActionWords> = {
  exclude: {
    name: "Leave out",
    means: "They stay here, but exports, releases, training and measuring do not use them.",
    done: "left out",
  },
  include: { name: "Include again", means: "They count again wherever labels count.", done: "included again" },
  review: { name: "Send to review", means: "Their tasks wait for a reviewer, under Review.", done: "sent to review" },
  relabel: {
    name: "Have made again",
    means: "Each of their tasks goes to one more labeler, who does not see the reason. This needs an open round.",
    done: "asked for again",
  },
  tag: { name: "Tag", means: "A word to find them by. Labelers do not see it.", done: "tagged" },
  untag: { name: "Remove a tag", means: "You can no longer find them by it.", done: "had a tag removed" },
};

/** "19 labels left out: One afternoon." */
export function changeWords({ kind, labels, tag, because }: LabelChange): string {
  const what = `${countOf(labels, "label")} ${ACTIONS[kind].done}${tag && ` (${tag})`}`;
  return because ? `${what}: ${because}` : what;
}
