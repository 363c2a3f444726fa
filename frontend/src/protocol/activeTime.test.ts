import cases from "@cases/active_time_cases.json";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Span } from "@/api/types";
import { activeTime } from "./activeTime";

test.each(cases)("$name", ({ spans, step_count, per_step, other, total }) => {
  expect(activeTime(spans, step_count)).toEqual({ per_step, other, total });
});

const span = fc
  .record({ step: fc.option(fc.integer({ min: 0, max: 4 })), start: fc.nat(500), length: fc.nat(100) })
  .map(({ step, start, length }): Span => ({ step, start, end: start + length }));

test("the total is the length of the union, whatever overlaps", () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), (spans) => {
      const moments = new Set<number>();
      for (const one of spans) for (let moment = one.start; moment < one.end; moment += 1) moments.add(moment);
      expect(activeTime(spans, 5).total).toBe(moments.size);
    }),
  );
});

test("counting a span twice changes nothing", () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), (spans) => {
      expect(activeTime([...spans, ...spans], 5)).toEqual(activeTime(spans, 5));
    }),
  );
});
