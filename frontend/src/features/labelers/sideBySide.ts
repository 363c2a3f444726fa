/** The list of labelers: its filters, and its texts about each. Pure. */
import { queryString } from "@/api/client";
import type { Estimate, LabelerFigures, Labelers } from "@/api/deskTypes";
import { intervalPart, withInterval } from "@/ui/charts/estimateWords";
import { formatDay } from "@/ui/forecastWords";
import { countOf } from "@/ui/format";
import { periodAsked } from "@/ui/period";
import type { StatusTone } from "@/ui/StatusMark";
import { NONE_TIMED, timedWords } from "@/ui/timedWords";
import { seconds } from "./labelerWords";

export const FILTERS = ["round", "since", "until"] as const;
export type LabelersFilters = Record<(typeof FILTERS)[number], string>;
type Pace = LabelerFigures["pace"];

/** Return the address's filters as the server accepts them. */
export function labelersAsked({ round, since, until }: LabelersFilters): LabelersFilters {
  return { round, ...periodAsked({ since, until }) };
}

/** Return the address of the list, or of its table, with these filters. */
export function labelersPath(slug: string, asked: LabelersFilters, ending = ""): string {
  return `/api/projects/${slug}/labelers${ending}${queryString(asked)}`;
}

/** Return the address of the labels that a row counts. `why` narrows them further. */
export function labelsOf(slug: string, labeler: number, asked: LabelersFilters, why = ""): string {
  return `/projects/${slug}/labels${queryString({ labeler, kind: "work", ...asked, why })}`;
}

/** "in round 3 Overlap pilot, from Thu 5 Nov to Sun 8 Nov" */
export function narrowedWords({ round, since, until }: LabelersFilters, rounds: Labelers["rounds"]): string {
  const known = rounds.find(({ id }) => String(id) === round);
  const parts = [
    round && (known ? `in round ${known.number} ${known.name}`.trim() : "in a round that is not in this project"),
    since && until
      ? `from ${formatDay(since)} to ${formatDay(until)}`
      : since
        ? `since ${formatDay(since)}`
        : until && `up to ${formatDay(until)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** "50 % of 8 pairs, 95 %: 22 to 78 %" */
export function shareWords(share: Estimate, unit: string): string {
  const { value, low, high, n } = share;
  if (value === null) return "n/a";
  const percent = (part: number) => `${Math.round(part * 100)} %`;
  const interval =
    low === null || high === null ? intervalPart(share, percent) : `95 %: ${Math.round(low * 100)} to ${percent(high)}`;
  return [`${percent(value)} of ${countOf(n, unit)}`, interval].filter(Boolean).join(", ");
}

/** "33 s, 95 %: 28 s to 40 s", "8.0 s, 95 %: n/a (4 labels), of 4 of 9 labels: the others came without a time" */
export function medianWords({ pace: { median }, too_fast }: Pick<LabelerFigures, "pace" | "too_fast">): string {
  if (median.value === null) return `n/a: ${too_fast.n > 0 ? NONE_TIMED : "no label with a rated step"}`;
  return [withInterval(median, seconds, "label"), timedWords(median.n, too_fast.n)].filter(Boolean).join(", ");
}

/** "1.0 s, 95 %: 0.9 s to 1.2 s, faster than all before" */
export function newestWords({ newest, change }: Pace): string {
  if (newest === null) return "n/a: too few earlier labels";
  return `${withInterval(newest, seconds, "label")}${change ? `, ${change} than all before` : ""}`;
}

/** Return how the newest labels are marked, if at all: hasty if they are below the floor. */
export function newestMark({ newest, change }: Pace, floorMs: number): { tone: StatusTone; word: string } | null {
  if (newest?.value == null) return null;
  if (newest.value * 1000 < floorMs) return { tone: "bad", word: "hasty" };
  return change ? { tone: "quiet", word: change } : null;
}
