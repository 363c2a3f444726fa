import { expect, test } from "vitest";
import type { Finding, Ratings } from "./interface";
import { marksMissing } from "./runMarks";

interface Case {
  name: string;
  ratings: Ratings;
  marks: Parameters<typeof marksMissing>[1];
  missing: Finding[];
}

const files = import.meta.glob<Case[]>("@cases/run_marks_cases.json", { eager: true, import: "default" });

test.each(Object.values(files).flat())("$name", ({ ratings, marks, missing }) => {
  expect(marksMissing(ratings, marks)).toEqual(missing);
});
