import type { TypedStep } from "./typedStep";

/** A step, and its place among its siblings. */
export type Placed = { step: TypedStep; place: number };

export const placed = (steps: readonly TypedStep[]): Placed[] => steps.map((step, place) => ({ step, place }));

/**
 * Put each result under the call that it answers, for when several tools are called at once; the rest keeps its order.
 */
export function underTheirCalls(steps: readonly Placed[]): readonly Placed[] {
  const calls = new Map<string, Placed[]>();
  for (const one of steps) {
    const { call_id: id, kind } = one.step;
    if (id && kind !== "observation" && !calls.has(id)) calls.set(id, []);
  }
  if (calls.size < 2) return steps;
  const others = steps.filter((one) => {
    const under = one.step.kind === "observation" && one.step.call_id ? calls.get(one.step.call_id) : undefined;
    under?.push(one);
    return !under;
  });
  return others.flatMap((one) => {
    const { call_id: id } = one.step;
    const under = (id && calls.get(id)) || [];
    if (id) calls.delete(id); // a second call with the same id has no results of its own
    return [one, ...under];
  });
}
