/** Numbers, sizes and times as the pages write them. Pure: the current time is always an argument. */

const counts = new Intl.NumberFormat("en");
const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const datesWithTime = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const clocks = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function formatCount(count: number): string {
  return counts.format(count);
}

/** "1 trace", "1,200 traces"; pass `many` if adding an s is not enough. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A share as whole percent; never "0 %" for more than none, never "100 %" for less than all. */
export function formatPercent(part: number, whole: number): string {
  if (whole <= 0) return "n/a";
  const percent = (part / whole) * 100;
  if (part > 0 && percent < 0.5) return "<1 %";
  if (part < whole && percent >= 99.5) return "99 %";
  return `${Math.round(percent)} %`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = -1;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** "9 s", "4 min 3 s", "1 h 12 min": the two units that matter. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / SECOND);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 || minutes >= 10 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** How long a label took; "n/a" for one that was sent without times. */
export function activeWords(ms: number): string {
  return ms > 0 ? formatDuration(ms) : "n/a";
}

/** The time left, as "14:05" or "2:00:09"; null once it has passed. */
export function formatCountdown(until: string, now: number): string | null {
  const left = Math.ceil((Date.parse(until) - now) / SECOND);
  if (left <= 0) return null;
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(left / 3600);
  const minutes = Math.floor((left % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(left % 60)}` : `${minutes}:${two(left % 60)}`;
}

export function formatDate(time: string): string {
  return dates.format(new Date(time));
}

export function formatDateTime(time: string): string {
  return datesWithTime.format(new Date(time));
}

export function formatClock(time: string | number): string {
  return clocks.format(new Date(time));
}

/** "just now", "3 min ago", "in 2 days"; a plain date if it is more than a month away. */
export function formatRelative(time: string, now: number): string {
  const distance = now - Date.parse(time);
  const size = Math.abs(distance);
  if (size < 45 * SECOND) return "just now";
  if (size >= 31 * DAY) return formatDate(time);
  let amount: string;
  if (size < 59.5 * MINUTE) amount = `${Math.max(1, Math.round(size / MINUTE))} min`;
  else if (size < 23.5 * HOUR) amount = `${Math.round(size / HOUR)} h`;
  else amount = countOf(Math.round(size / DAY), "day");
  return distance >= 0 ? `${amount} ago` : `in ${amount}`;
}
