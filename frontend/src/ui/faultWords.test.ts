import { expect, test } from "vitest";
import { linesWords } from "./faultWords";

const at = (...lines: number[]) => lines.map((line) => ({ line, field: "", found: "", do: "" }));

test("a folded kind of fault names its first lines, each once", () => {
  expect(linesWords(at(4))).toBe("line 4");
  expect(linesWords(at(4, 4))).toBe("line 4");
  expect(linesWords(at(2, 5, 7))).toBe("lines 2, 5, 7");
  expect(linesWords(at(1, 2, 3, 4, 5, 6))).toBe("lines 1, 2, 3, 4, 5, …");
});
