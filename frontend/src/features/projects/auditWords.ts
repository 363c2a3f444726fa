import { stepName } from "@/ui/trace/words";

/** In these the log counts steps from 0, as programs do; -1 is "no error". */
const FIRST_ERRORS: readonly string[] = ["verdict", "acceptable", "acceptable_decisive"];

/** The detail of an entry, a line each; steps are counted as on every other page. */
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
  // What a change of gold says before and after.
  const hasSteps = typeof value === "object" && value !== null && FIRST_ERRORS.some((name) => name in value);
  return hasSteps ? lines(value).join("; ") : JSON.stringify(value);
}

/** One first error, or several of them. */
function stepsSaid(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.map(stepsSaid).join(", ") : "none";
  if (typeof value !== "number") return said(value);
  return value < 0 ? "no error" : stepName(value);
}
