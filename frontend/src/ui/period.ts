/** A period as addresses and forms hold it: days of the reader's clock, the last one within it; empty: no end. */
export interface Period {
  since: string;
  until: string;
}

/** The period as the server takes it, in moments. It leaves out what came at `until` or later, so it gets the beginning
 * of the day behind the last. One that is no day asks for nothing. */
export function periodAsked({ since, until }: Period): Period {
  return { since: momentOf(since, 0), until: momentOf(until, 1) };
}

function momentOf(day: string, daysOn: number): string {
  const [year, month, date] = day.split("-").map(Number);
  const moment = new Date(year ?? Number.NaN, (month ?? Number.NaN) - 1, (date ?? Number.NaN) + daysOn);
  return Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
}
