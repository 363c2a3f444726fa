export const AUDIT_FILTERS = ["who", "what", "since", "until"] as const;
export type AuditFilters = Record<(typeof AUDIT_FILTERS)[number], string>;
/** As the server is asked: moments where the page has days. */
export type AuditAsked = Record<string, string>;

/** The filters of the address as the server takes them. `until` is the last day that is shown: the server leaves out
 * what came at that moment or later, so it gets the beginning of the day behind it. Days are those of the reader's
 * clock; one that is no day asks for nothing. */
export function auditAsked({ who, what, since, until }: AuditFilters): AuditAsked {
  return { who, what, since: momentOf(since, 0), until: momentOf(until, 1) };
}

function momentOf(day: string, daysOn: number): string {
  const [year, month, date] = day.split("-").map(Number);
  const moment = new Date(year ?? Number.NaN, (month ?? Number.NaN) - 1, (date ?? Number.NaN) + daysOn);
  return Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
}
