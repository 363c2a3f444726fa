import { expect, test } from "vitest";
import { saysOf } from "./RevealDialog";

test("a machine's mark is told beside one's own", () => {
  expect(saysOf({ first_error: 2, why: "" }, 2)).toBe("the first error is in step 3. So do you.");
  expect(saysOf({ first_error: -1, why: "" }, 0)).toBe("no error. You said: the first error is in step 1.");
  expect(saysOf({ first_error: 1, why: "" }, null)).toBe("the first error is in step 2.");
});

test("a source that says nothing says why", () => {
  expect(saysOf({ first_error: null, why: "split" }, 1)).toBe("does not say (its votes are split).");
});
