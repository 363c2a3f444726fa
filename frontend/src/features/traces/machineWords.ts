/** Texts about what a machine's mark says of a trace. Pure. */
import type { MachineMark } from "@/api/sourceTypes";
import { silence } from "@/ui/trace/silence";
import { stepName } from "@/ui/trace/words";

/** These check each step on its own: their first error says nothing about a step that they could not check. */
const EACH_STEP = new Set(["verifier", "formal"]);

export function firstErrorWords(mark: Pick<MachineMark, "source" | "steps" | "first_error" | "why">): string {
  const { first_error, why } = mark;
  if (first_error === null) return `no statement about the first error (${silence(why)})`;
  if (first_error < 0) return "no error";
  return `the first error is ${stepName(first_error)}${uncheckedBefore(mark, first_error)}`;
}

/** "; steps 1 and 3 could not be checked" */
function uncheckedBefore({ source, steps }: Pick<MachineMark, "source" | "steps">, until: number): string {
  if (!EACH_STEP.has(source.kind) || !steps) return "";
  const places = steps.slice(0, until).flatMap((step, place) => (step === null ? [place + 1] : []));
  if (places.length === 0) return "";
  const last = places.pop();
  const named = places.length > 0 ? `steps ${places.join(", ")} and ${last}` : `step ${last}`;
  return `; ${named} could not be checked`;
}
