import { expect, test } from "vitest";
import type { MyQuality, Screening } from "@/api/qualityTypes";
import { shownFor } from "./useScreening";

const going: Screening = {
  attempt: 1,
  done: 7,
  of: 30,
  needed: 23,
  passed: null,
  admitted: null,
  feedback: true,
  begun: true,
  results: [],
  attempts_left: 1,
};
const standing = (changes: Partial<Screening>): MyQuality => ({
  state: "screening",
  screening: { ...going, ...changes },
  pause: null,
});
const answer = { labelId: 1, standing: null, read: false };

test("after an answer comes its feedback, then the next task", () => {
  expect(shownFor(null)).toBe("work");
  expect(shownFor(answer)).toBe("sending");
  expect(shownFor({ ...answer, standing: standing({}) })).toBe("feedback");
  expect(shownFor({ ...answer, standing: standing({ feedback: false }) })).toBe("work");
});

test("after the last answer the result follows the feedback", () => {
  const over = standing({ done: 30, passed: 25, admitted: true });
  expect(shownFor({ ...answer, standing: over })).toBe("feedback");
  expect(shownFor({ ...answer, standing: over, read: true })).toBe("result");
  expect(shownFor({ ...answer, standing: standing({ passed: 3, admitted: false, feedback: false }) })).toBe("result");
});
