/** The axis of trace scores: positions are logs, labels are the probabilities they represent. Pure. */

import { formatTraceScore, superscript } from "@/ui/trace/score";

export interface Tick {
  at: number;
  label: string;
}

/** The label at the edge of a bin: two digits, so that neighbours can be told apart. */
export function formatEdge(log: number): string {
  if (log > 1e-6 || log < Math.log(0.0005)) return formatTraceScore(log);
  const value = Math.exp(log);
  return value > 0.995 && log < 0 ? value.toPrecision(3) : String(Number(value.toPrecision(2)));
}

/**
 * At most about `room` round places between two logs: powers of ten, thinned out if there are many, or 1, 2 and 5 times
 * each if there are few. If the scores are not probabilities (a log above 0), evenly spaced places of the log itself.
 */
export function scoreTicks(first: number, last: number, room: number): Tick[] {
  if (!(last > first)) return [{ at: first, label: formatEdge(first) }];
  if (last > 1e-6) return evenTicks(first, last, room);
  const low = first / Math.LN10;
  const high = last / Math.LN10;
  const decades = Math.floor(high) - Math.ceil(low) + 1;
  if (decades < 2) return fewDecades(first, last, room);
  const every = Math.max(1, Math.ceil(decades / Math.max(2, room)));
  const ticks: Tick[] = [];
  for (let power = Math.floor(high); power >= low; power -= every) {
    ticks.unshift({ at: power * Math.LN10, label: power >= -3 ? String(10 ** power) : `10${superscript(power)}` });
  }
  return ticks;
}

function fewDecades(first: number, last: number, room: number): Tick[] {
  const ticks: Tick[] = [];
  for (let power = Math.floor(first / Math.LN10); power <= Math.ceil(last / Math.LN10); power += 1) {
    for (const factor of [1, 2, 5]) {
      const at = Math.log(factor) + power * Math.LN10;
      if (at >= first - 1e-9 && at <= last + 1e-9)
        ticks.push({ at, label: String(Number((factor * 10 ** power).toPrecision(1))) });
    }
  }
  if (ticks.length < 2) return evenTicks(first, last, room);
  const every = Math.max(1, Math.ceil(ticks.length / Math.max(2, room)));
  return ticks.filter((_, index) => (ticks.length - 1 - index) % every === 0);
}

function evenTicks(first: number, last: number, room: number): Tick[] {
  const number = Math.max(2, Math.min(6, Math.floor(room)));
  return Array.from({ length: number }, (_, index) => {
    const at = first + ((last - first) * index) / (number - 1);
    return { at, label: last > 1e-6 ? at.toFixed(1).replace("-", "−") : formatEdge(at) };
  });
}
