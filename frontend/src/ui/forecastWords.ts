/** Texts for a forecast: hours, money, a day, each with its range or the reason why there is none. Pure. */
import { intervalPart, type Uncertain } from "./charts/estimateWords";
import { countOf, formatCount } from "./format";
import { formatMoneyAbout } from "./money";

/** The server's forecast for a number of labels. */
export interface Foreseen {
  labels: number;
  hours: Uncertain;
  /** Null if no hourly rate is known. */
  cost: Uncertain | null;
  currency: string;
  /** Calendar days until all labels are made; `clusters` is the number of days with work. */
  days: Uncertain;
  done: Record<"value" | "low" | "high", string | null>;
}

const days = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });

/** "3 h 15", "25 min": hours of labeling are never given to the second. */
export function formatHours(hours: number): string {
  const minutes = Math.round(hours * 60);
  if (minutes < 60) return `${minutes} min`;
  if (hours >= 20) return `${formatCount(Math.round(hours))} h`;
  return minutes % 60 === 0
    ? `${minutes / 60} h`
    : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")}`;
}

/** "Thu 26 Nov", "Wed 28 Apr 2027" */
export function formatDay(day: string, thisYear = new Date().getUTCFullYear()): string {
  const year = day.startsWith(`${thisYear}-`) ? "" : ` ${day.slice(0, 4)}`;
  return `${days.format(new Date(`${day}T00:00:00Z`)).replace(",", "")}${year}`;
}

function range({ low, high }: Uncertain, format: (value: number) => string): string {
  return low === null || high === null ? "" : `${format(low)} to ${format(high)}`;
}

interface ValueAndNote {
  value: string;
  note: string;
}

export function hoursSaid({ hours }: Foreseen): ValueAndNote {
  if (hours.value === null) return { value: "n/a", note: "nothing was timed here yet" };
  return { value: formatHours(hours.value), note: range(hours, formatHours) || intervalPart(hours, formatHours) };
}

export function costSaid({ cost, currency }: Foreseen): ValueAndNote {
  if (cost === null) return { value: "n/a", note: "no hourly rate is set (Settings)" };
  if (cost.value === null) return { value: "n/a", note: "nothing was timed here yet" };
  const format = (value: number) => formatMoneyAbout(value, currency);
  return { value: format(cost.value), note: range(cost, format) || intervalPart(cost, format) };
}

export function doneSaid({ days: until, done }: Foreseen): ValueAndNote {
  if (until.value === null) return { value: "n/a", note: "nobody has labeled on a whole day of the last two weeks" };
  if (done.value === null) return { value: "n/a", note: "not within a hundred years at this rate" };
  const note =
    done.low !== null && done.high !== null
      ? `${formatDay(done.low)} to ${formatDay(done.high)}`
      : until.no_interval === "often_undefined"
        ? "95 %: n/a (too far away)"
        : intervalPart(until, String, "day with work").replace("day with works", "days with work");
  return { value: formatDay(done.value), note };
}

/** Does any figure of the forecast have a range? */
export function hasRange({ hours, cost, days, done }: Foreseen): boolean {
  return [hours.low, cost?.low ?? null, days.low, done.low].some((low) => low !== null);
}

/**
 * What no forecast includes, because the number of labelers is unknown: " Hidden gold comes on top: …"; empty without
 * gold.
 */
export function goldOnTop(perRound: number): string {
  return perRound ? ` Hidden gold comes on top: up to ${countOf(perRound, "task")} for each labeler of a round.` : "";
}

/** "81 labels, about 3 h 15 (2 h 50 to 3 h 35), about €195 (€170 to €215), done on Thu 26 Nov" */
export function forecastSentence(forecast: Foreseen): string {
  const about = ({ value, note }: ValueAndNote) =>
    value === "n/a" ? null : note ? `about ${value} (${note})` : `about ${value}`;
  const hours = about(hoursSaid(forecast));
  const cost = forecast.cost === null ? null : about(costSaid(forecast));
  const done = doneSaid(forecast);
  const parts = [
    countOf(forecast.labels, "label"),
    hours ?? "hours n/a (nothing was timed here yet)",
    cost,
    done.value === "n/a" ? `done: n/a (${done.note})` : `done on ${done.value}${done.note ? ` (${done.note})` : ""}`,
  ];
  return parts.filter((part) => part !== null).join(", ");
}
