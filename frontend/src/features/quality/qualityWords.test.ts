import { expect, test } from "vitest";
import { screeningWords } from "./qualityWords";

const attempt = { attempt: 1, of: 30, needed: 23, passed: null, finished_at: null };

test("an attempt is told by how it ended", () => {
  expect(screeningWords(attempt)).toBe("under way, 30 tasks");
  expect(screeningWords({ ...attempt, of: 1 })).toBe("under way, 1 task");
  expect(screeningWords({ ...attempt, passed: 23 })).toBe("passed, 23 of 30");
  expect(screeningWords({ ...attempt, passed: 22 })).toBe("22 of 30, 23 needed");
});
