/** Where the labeler's attention was, based on focus, input and visibility. Pure: the clock is an argument. */
import type { Span } from "@/api/types";

/** A span ends this long after the last key press or pointer move. */
export const IDLE_CUT_MS = 60_000;

export interface Attention {
  /** Closed spans, in order. */
  spans: readonly Span[];
  /** The step in view; null for the problem, a dialog, or the page as a whole. */
  step: number | null;
  /** When the running span began; null while hidden or idle. */
  since: number | null;
  lastInput: number;
}

export function noAttention(spans: readonly Span[] = []): Attention {
  return { spans, step: null, since: null, lastInput: 0 };
}

function closeSpan(attention: Attention, now: number): Attention {
  const { since, step, lastInput } = attention;
  if (since === null) return attention;
  const end = Math.min(now, lastInput + IDLE_CUT_MS);
  if (end <= since) return { ...attention, since: null };
  const last = attention.spans.at(-1);
  const joins = last && last.step === step && last.end === since;
  const spans = joins
    ? [...attention.spans.slice(0, -1), { ...last, end }]
    : [...attention.spans, { step, start: since, end }];
  return { ...attention, spans, since: null };
}

/** Record a key press or pointer move: attention is here, and stays for up to `IDLE_CUT_MS` more. */
export function sawInput(attention: Attention, now: number): Attention {
  const idle = attention.since !== null && now > attention.lastInput + IDLE_CUT_MS;
  const current = idle ? closeSpan(attention, now) : attention;
  return { ...current, since: current.since ?? now, lastInput: now };
}

/** Record that attention moved to another step. This is not an input: an idle page stays idle. */
export function movedTo(attention: Attention, step: number | null, now: number): Attention {
  if (attention.step === step) return attention;
  const running = attention.since !== null && now <= attention.lastInput + IDLE_CUT_MS;
  return { ...closeSpan(attention, now), step, since: running ? now : null };
}

/** Record that the page was hidden, closed, or given to another tab. */
export function paused(attention: Attention, now: number): Attention {
  return closeSpan(attention, now);
}

/** Return all spans as of `now`, including the running one. */
export function spansAt(attention: Attention, now: number): readonly Span[] {
  return closeSpan(attention, now).spans;
}

/** Return whether the labeler did anything within the idle cut. */
export function isActive(attention: Attention, now: number): boolean {
  return attention.since !== null && now <= attention.lastInput + IDLE_CUT_MS;
}
