/**
 * Active time from spans of attention: the twin of the server's `labeling/protocol/active_time.py`. Both are tested on
 * `labeling/tests/active_time_cases.json`. Times are epoch milliseconds.
 */
import type { Span } from "@/api/types";

interface ActiveTime {
  per_step: number[];
  /** Time on the problem, or on no step. */
  other: number;
  total: number;
}

/** Count every moment once: where spans overlap (two tabs), it goes to the one that started first. */
export function activeTime(spans: readonly Span[], stepCount: number): ActiveTime {
  const perStep = new Array<number>(stepCount).fill(0);
  let other = 0;
  let covered = 0;
  const sorted = spans.filter((span) => span.end > span.start).sort((a, b) => a.start - b.start);
  for (const span of sorted) {
    const length = Math.max(0, span.end - Math.max(span.start, covered));
    covered = Math.max(covered, span.end);
    const step = span.step;
    if (step !== null && step >= 0 && step < stepCount) perStep[step] = (perStep[step] ?? 0) + length;
    else other += length;
  }
  return { per_step: perStep, other, total: other + perStep.reduce((sum, ms) => sum + ms, 0) };
}
