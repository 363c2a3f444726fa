/** A period as addresses and forms store it: days in the reader's time zone, including the last one; empty: no end. */
export interface Period {
  since: string;
  until: string;
}

/**
 * The period as moments, for the server. The server excludes `until` and everything later, so it gets the beginning of
 * the day after the last one. An invalid day counts as empty.
 */
export function periodAsked({ since, until }: Period): Period {
  return { since: momentOf(since, 0), until: momentOf(until, 1) };
}

function momentOf(day: string, daysOn: number): string {
  const [year, month, date] = day.split("-").map(Number);
  const moment = new Date(year ?? Number.NaN, (month ?? Number.NaN) - 1, (date ?? Number.NaN) + daysOn);
  return Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
}
