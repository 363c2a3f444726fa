/** Texts of a labeler's page. They say what happened, never what somebody is like. Pure. */
import type { LabelerPage } from "@/api/deskTypes";
import { intervalPart, withInterval } from "@/ui/charts/estimateWords";
import type { RuledShare } from "@/ui/charts/RuledShares";
import { countOf, formatCount, formatDuration } from "@/ui/format";
import { formatMoney } from "@/ui/money";
import { NONE_TIMED, timedWords } from "@/ui/timedWords";

type Figure = LabelerPage["figures"][number];

const RULED: Record<string, { name: string; of: string; none: string; unit: string; link: string; filter: string }> = {
  gold: {
    name: "Gold",
    of: "answers to hidden gold as expected",
    none: "no hidden gold answered yet",
    unit: "gold trace",
    link: "Their gold",
    filter: "kind=gold",
  },
  agreement: {
    name: "Agreement",
    of: "labels with the same verdict as another labeler of the trace",
    none: "nobody else has labeled any of their traces yet",
    unit: "problem",
    link: "Those that differ",
    filter: "agreement=differs",
  },
  hasty: {
    name: "Hasty",
    of: "labels below the minimum time per step",
    none: "no timed labels yet",
    unit: "label",
    link: "Those labels",
    filter: "why=hasty",
  },
};

/** "17 of 19 answers to hidden gold as expected" */
export function counted({ name, share }: Pick<Figure, "name" | "share">): string {
  const of = RULED[name]?.of ?? "labels";
  if (share.value === null) return RULED[name]?.none ?? "nothing yet";
  return `${formatCount(Math.round(share.value * share.n))} of ${formatCount(share.n)} ${of}`;
}

/** Return the three figures as rows under their rules, each with a link to the labels it counts. */
export function ruledRows(slug: string, page: Pick<LabelerPage, "labeler" | "figures">): RuledShare[] {
  return page.figures.flatMap((figure) => {
    const words = RULED[figure.name];
    if (!words) return [];
    const { name, unit, link, filter } = words;
    const { word, share, limit } = figure;
    const to = `/projects/${slug}/labels?labeler=${page.labeler.id}&${filter}`;
    return [{ key: figure.name, name, word, says: counted(figure), share, unit, limit, to, link }];
  });
}

/** Return the page's first sentence. */
export function standing({ labeler, labels, figures }: Pick<LabelerPage, "labeler" | "labels" | "figures">): string {
  if (labeler.kind === "imported")
    return "Their labels came with an import, so their pace and their answers to gold are not known.";
  if (labels === 0) return "No labels of ordinary work yet.";
  const bad = figures.filter((one) => one.word === "bad");
  if (bad.length > 0) return `Ask about this before you decide: ${bad.map(counted).join("; ")}.`;
  const good = figures.filter((one) => one.word === "good").length;
  if (good === figures.length) return "Careful work by every rule: gold, agreement and pace.";
  if (good > 0) return `${good} of ${figures.length} rules are certainly met; none is broken.`;
  return "Too little is known to judge this work.";
}

/** "−2.0 % a week, 95 %: −3.4 % to −0.6 %", or why it is unknown. */
export function driftWords({
  value,
  low,
  high,
  n,
  no_interval,
  clusters,
}: LabelerPage["pace"]["drift_a_week"]): string {
  if (value === null) return n === 0 ? "n/a: no timed labels yet" : "n/a: all work was done on one day";
  const percent = (share: number) =>
    `${share < 0 ? "−" : share > 0 ? "+" : ""}${(Math.abs(share) * 100).toFixed(Math.abs(share) < 0.095 ? 1 : 0)} %`;
  if (low === null || high === null)
    return no_interval === "few_clusters"
      ? `n/a: ${countOf(clusters ?? 0, "day")} of work; at least 5 are needed`
      : `${percent(value)} a week, 95 %: n/a`;
  return `${percent(value)} a week, 95 %: ${percent(low)} to ${percent(high)}`;
}

/** Return what the drift means: a direction only if the whole interval agrees. */
export function driftSays({ low, high }: LabelerPage["pace"]["drift_a_week"]): string {
  if (low === null || high === null) return "Too early to tell whether the pace changes.";
  if (high < 0) return "Getting faster from week to week.";
  if (low > 0) return "Getting slower from week to week.";
  return "These days show no change.";
}

/** "the others 8 to 16 s", or that there is nobody to compare with. */
export function othersWords({ labelers, least, most }: LabelerPage["pace"]["others"]): string {
  if (labelers === 0 || least === null || most === null) return "nobody to compare with yet";
  if (labelers === 1) return `the other labeler ${seconds(least)}`;
  return `the others ${seconds(least).replace(" s", "")} to ${seconds(most)}`;
}

/** "95 %: 28 s to 40 s; of 8 of 9 labels: the others came without a time; the others 8 to 16 s" */
export function paceNote({ median, others, days }: Pick<LabelerPage["pace"], "median" | "others" | "days">): string {
  const judged = days.reduce((sum, day) => sum + day.judged, 0);
  return [intervalPart(median, seconds, "label"), timedWords(median.n, judged), othersWords(others)]
    .filter(Boolean)
    .join("; ");
}

/** Return the active time of labels, or "n/a" if all of them came without one. */
export function activeOf({ active_ms, labels }: { active_ms: number; labels: number }): string {
  return active_ms === 0 && labels > 0 ? "n/a" : formatDuration(active_ms);
}

/** "Newest 10 labels: 1.0 s a step, 95 %: 0.9 s to 1.2 s; faster than all before." */
export function newestSays({ newest, change }: Pick<LabelerPage["pace"], "newest" | "change">): string {
  if (newest === null) return "";
  const than = change ? `; ${change} than all before` : "";
  return `Newest ${countOf(newest.n, "label")}: ${withInterval(newest, (value) => seconds(value), "label")}${than}.`;
}

export function seconds(value: number | null): string {
  if (value === null) return "n/a";
  return `${value < 9.95 ? value.toFixed(1) : formatCount(Math.round(value))} s`;
}

/** Return the address of the list of labels for one UTC day. */
export function dayFilter(labeler: number, day: string): string {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 24 * 3600 * 1000).toISOString().slice(0, 10);
  return `labels?labeler=${labeler}&why=hasty&since=${day}T00:00:00Z&until=${next}T00:00:00Z`;
}

/** Return the active time of ordinary work, as on the page of all labelers. */
export function workMs({ rounds }: Pick<LabelerPage, "rounds">): number {
  return rounds.reduce((sum, round) => sum + round.active_ms, 0);
}

/** "3 min 14 s with gold and screening: €184.20 at €30.00 an hour"; without a rate, says so. */
export function payWords({ active_ms, money, currency, hourly_rate }: LabelerPage["paid"]): string {
  if (active_ms === 0) return NONE_TIMED;
  const all = `${formatDuration(active_ms)} with gold and screening`;
  if (money === null) return `${all}; pay n/a: the project has no hourly rate`;
  return `${all}: ${formatMoney(money, currency)} at ${formatMoney(Number(hourly_rate), currency)} an hour`;
}
