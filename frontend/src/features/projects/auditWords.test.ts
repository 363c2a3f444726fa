import { expect, test } from "vitest";
import { detailWords } from "./auditWords";

test("the detail of an entry counts steps as pages do, and says everything else as it is", () => {
  expect(detailWords({ verdict: 4, finish_reason: "found_error", label_audit: 7, reason: "" })).toBe(
    "verdict: step 5\nfinish_reason: found_error\nlabel_audit: 7",
  );
  expect(detailWords({ verdict: -1 })).toBe("verdict: no error");
  expect(detailWords({ verdict: null })).toBe("verdict: null");
  expect(detailWords({ acceptable: [-1, 2], acceptable_decisive: [], steps: [3, 4] })).toBe(
    "acceptable: no error, step 3\nacceptable_decisive: none\nsteps: [3,4]",
  );
  expect(detailWords({ before: { acceptable: [1], explanation: "It drops." }, judged_again: 2 })).toBe(
    "before: acceptable: step 2; explanation: It drops.\njudged_again: 2",
  );
});
