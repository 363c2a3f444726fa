import { periodAsked } from "@/ui/period";

export const AUDIT_FILTERS = ["who", "what", "since", "until"] as const;
type AuditFilters = Record<(typeof AUDIT_FILTERS)[number], string>;
/** What the server is asked: moments, where the page has days. */
export type AuditAsked = Record<string, string>;

/** Return the address's filters as the server accepts them. */
export function auditAsked({ who, what, since, until }: AuditFilters): AuditAsked {
  return { who, what, ...periodAsked({ since, until }) };
}
