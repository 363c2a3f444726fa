import { expect, test } from "vitest";
import { traceHeaders } from "./outbox";

test("The trace of a submission has its key, so that a second try belongs to the same one", () => {
  const headers = traceHeaders("0123abcd-4567-4abc-8def-0123456789ab", 1499.6);
  expect(headers).toEqual({
    traceparent: "00-0123abcd45674abc8def0123456789ab-8def0123456789ab-01",
    "X-Stepmark-Pressed": "1500",
  });
});

test("A key that is no UUID, or a clock that was set back, makes no header that nobody can read", () => {
  expect(traceHeaders("by hand", 10)).toEqual({});
  expect(traceHeaders("0123abcd-4567-4abc-8def-0123456789ab", -5)["X-Stepmark-Pressed"]).toBe("0");
});
