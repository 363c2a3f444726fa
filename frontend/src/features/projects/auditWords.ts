import { stepName } from "@/ui/trace/words";

/** In these details, the log counts steps from 0, as programs do; -1 is "no error". */
const FIRST_ERRORS: readonly string[] = ["verdict", "acceptable", "acceptable_decisive"];

/** Return the details of an entry, one per line. Steps are counted as on every other page. */
export function detailWords(detail: Record<string, unknown>): string {
  return lines(detail).join("\n");
}

function lines(detail: object): string[] {
  return Object.entries(detail)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${FIRST_ERRORS.includes(name) ? stepsSaid(value) : said(value)}`);
}

function said(value: unknown): string {
  if (typeof value === "string") return value;
  // The values of gold before and after a change.
  const hasSteps = typeof value === "object" && value !== null && FIRST_ERRORS.some((name) => name in value);
  return hasSteps ? lines(value).join("; ") : JSON.stringify(value);
}

/** Return one first error, or several of them, as text. */
function stepsSaid(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.map(stepsSaid).join(", ") : "none";
  if (typeof value !== "number") return said(value);
  return value < 0 ? "no error" : stepName(value);
}
