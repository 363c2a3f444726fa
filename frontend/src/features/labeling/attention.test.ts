import fc from "fast-check";
import { expect, test } from "vitest";
import { activeTime } from "@/protocol/activeTime";
import { type Attention, IDLE_CUT_MS, isActive, movedTo, noAttention, paused, sawInput, spansAt } from "./attention";

test("nothing is counted before the first input", () => {
  expect(spansAt(noAttention(), 90_000)).toEqual([]);
});

test("time runs on the step in view from the first input on", () => {
  let attention = sawInput(movedTo(noAttention(), 0, 0), 1_000);
  attention = sawInput(movedTo(attention, 1, 4_000), 4_000);
  expect(spansAt(attention, 6_000)).toEqual([
    { step: 0, start: 1_000, end: 4_000 },
    { step: 1, start: 4_000, end: 6_000 },
  ]);
});

test("a span ends 60 s after the last input", () => {
  const attention = sawInput(noAttention(), 1_000);
  expect(spansAt(attention, 10 * IDLE_CUT_MS)).toEqual([{ step: null, start: 1_000, end: 1_000 + IDLE_CUT_MS }]);
  expect(isActive(attention, 1_001 + IDLE_CUT_MS)).toBe(false);
});

test("input after idling begins a new span and leaves the gap out", () => {
  const attention = sawInput(sawInput(noAttention(), 0), 200_000);
  expect(spansAt(attention, 201_000)).toEqual([
    { step: null, start: 0, end: IDLE_CUT_MS },
    { step: null, start: 200_000, end: 201_000 },
  ]);
});

test("moving to another step after idling does not wake the clock", () => {
  const attention = movedTo(sawInput(noAttention(), 0), 3, 100_000);
  expect(spansAt(attention, 120_000)).toEqual([{ step: null, start: 0, end: IDLE_CUT_MS }]);
});

test("a hidden page counts nothing until the next input", () => {
  const attention = sawInput(paused(sawInput(noAttention(), 0), 5_000), 30_000);
  expect(spansAt(attention, 31_000)).toEqual([
    { step: null, start: 0, end: 5_000 },
    { step: null, start: 30_000, end: 31_000 },
  ]);
});

test("coming back at once joins the span instead of making a new one", () => {
  const attention = sawInput(paused(sawInput(noAttention(), 0), 5_000), 5_000);
  expect(spansAt(attention, 6_000)).toEqual([{ step: null, start: 0, end: 6_000 }]);
});

test("whatever happens, spans are in order, never overlap and never exceed the time that passed", () => {
  const event = fc.tuple(fc.constantFrom("input", "move", "pause"), fc.nat(90_000), fc.nat(3));
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let now = 1;
      let attention: Attention = noAttention();
      for (const [kind, wait, step] of events) {
        now += wait;
        if (kind === "input") attention = sawInput(attention, now);
        else if (kind === "move") attention = movedTo(attention, step, now);
        else attention = paused(attention, now);
      }
      const spans = spansAt(attention, now);
      for (const [index, span] of spans.entries()) {
        expect(span.end).toBeGreaterThan(span.start);
        expect(span.start).toBeGreaterThanOrEqual(spans[index - 1]?.end ?? 0);
      }
      expect(activeTime(spans, 4).total).toBeLessThanOrEqual(now);
    }),
  );
});
