/** The reading time that labelers demand of themselves for each step before they rate it. Pure. */
import type { Draft, DraftAction } from "@/protocol/draft";

/** Return the first step that an action would rate after less than `seconds` of reading, or null if there is none. */
export function tooSoon(draft: Draft, action: DraftAction, readMs: readonly number[], seconds: number): number | null {
  const { protocol, content } = draft;
  const short = (step: number) => content.ratings[step] === null && (readMs[step] ?? 0) < seconds * 1_000;
  if (action.type === "rate") return short(action.step) ? action.step : null;
  if (action.type !== "goodUpTo") return null;
  return protocol.ratableSteps(content.ratings).find((step) => step <= action.step && short(step)) ?? null;
}
