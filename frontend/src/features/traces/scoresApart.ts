/** Where the models that scored a trace are furthest apart. Pure. */
import type { TraceScores } from "@/api/roundTypes";
import { stepName } from "@/ui/trace/words";

/**
 * "Farthest apart at step 3: 0.12 to 0.94". If their numbers mean different things, says that they cannot be compared.
 */
export function apartWords(scores: readonly Pick<TraceScores, "scale" | "steps">[]): string {
  const known = scores.flatMap(({ scale, steps }) => (scale === "probability" && steps ? [steps] : []));
  if (known.length < 2) return "Their numbers mean different things. You cannot compare rewards with probabilities.";
  let [at, apart, least, most] = [0, -1, 0, 0];
  const shared = Math.min(...known.map((steps) => steps.length));
  for (let step = 0; step < shared; step += 1) {
    const values = known.map((steps) => steps[step]).filter((value): value is number => value != null);
    if (values.length < 2) continue;
    const [low, high] = [Math.min(...values), Math.max(...values)];
    if (high - low > apart) [at, apart, least, most] = [step, high - low, low, high];
  }
  if (apart < 0) return "No step has scores by two models.";
  return `Farthest apart at ${stepName(at)}: ${least.toFixed(2)} to ${most.toFixed(2)}.`;
}
