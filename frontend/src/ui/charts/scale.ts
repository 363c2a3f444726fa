/** Axis arithmetic of the charts. */

/** Round ticks from 0 to at least `max`, at most `wanted` steps; whole numbers, because the charts count things. */
export function countTicks(max: number, wanted = 4): number[] {
  if (max <= 0) return [0, 1];
  const rough = max / wanted;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].map((factor) => factor * magnitude).find((step) => step >= rough) ?? rough;
  const step = Math.max(1, nice);
  const ticks = Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => index * step);
  return ticks;
}

/** Write every n-th of `count` labels, so that at most `room` of them are next to each other. */
export function labelEvery(count: number, room: number): number {
  return Math.max(1, Math.ceil(count / Math.max(1, Math.floor(room))));
}

const DAY_MS = 86_400_000;

export interface Day {
  day: string;
  labels: number;
  active_ms: number;
}

/**
 * The days up to `today` or the last day, whichever is later: `least` to `most` days, with zeros where nothing
 * happened.
 */
export function fillDays(days: Day[], today: string, least = 14, most = 90): Day[] {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const end = Math.max(Date.parse(today), ...days.map((day) => Date.parse(day.day)));
  const first = Math.min(end - (least - 1) * DAY_MS, ...days.map((day) => Date.parse(day.day)));
  const start = Math.max(first, end - (most - 1) * DAY_MS);
  const filled: Day[] = [];
  for (let time = start; time <= end; time += DAY_MS) {
    const day = new Date(time).toISOString().slice(0, 10);
    filled.push(byDay.get(day) ?? { day, labels: 0, active_ms: 0 });
  }
  return filled;
}

/** Five round ticks from 0 to at least `max`, for figures that need not be whole. */
export function valueTicks(max: number): number[] {
  if (!(max > 0)) return [0, 0.25, 0.5, 0.75, 1];
  const rough = max / 4;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10]
    .map((factor) => factor * magnitude)
    .find((one) => one >= rough * 0.9999);
  return [0, 1, 2, 3, 4].map((index) => rounded(index * (step ?? rough)));
}

/** Round ticks that include both ends, about `wanted` steps. */
export function lineTicks(low: number, high: number, wanted = 4): number[] {
  const rough = (high - low || 1) / wanted;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((one) => one >= rough * 0.999) ?? rough;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => rounded((first + index) * step));
}

/** A tick without rounding errors of binary fractions: 3 × 0.4 is 1.2, not 1.2000000000000002. */
function rounded(tick: number): number {
  return Number(tick.toPrecision(10));
}

/** The number of digits after the point needed to tell these ticks apart. */
export function tickDigits(ticks: number[]): number {
  return Math.max(0, ...ticks.map((tick) => String(tick).split(".")[1]?.length ?? 0));
}

/**
 * The places, out of rising ones, that are at least `room` pixels after the one before, so that each can have a name.
 */
export function wellApart(places: number[], x: (place: number) => number, room: number): number[] {
  const named: number[] = [];
  for (const place of places) {
    const before = named.at(-1);
    if (before === undefined || x(place) - x(before) >= room) named.push(place);
  }
  return named;
}
