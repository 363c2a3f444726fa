import { expect, test } from "vitest";
import { noneFound } from "./noneFound";

const asked = (about: object) => ({ search: "", result: "", hasty: "", ...about });

test("where nobody was hasty it says so, and what would have been", () => {
  expect(noneFound(asked({ hasty: "true" }), 1_500)).toEqual({
    title: "None of your labels is hasty",
    why: ["Hasty labels are those submitted in less than 1.5 s for each step rated."],
  });
  expect(noneFound(asked({ hasty: "true" }), undefined).why[0]).toContain("than reading takes");
});

test("each filter that may have left nothing is explained", () => {
  const { title, why } = noneFound({ search: "x", result: "unfinished", hasty: "true" }, 1_000);
  expect(title).toBe("No labels match");
  expect(why.map((sentence) => sentence.split(" ")[0])).toEqual(["The", "Hasty", "Unfinished"]);
  expect(noneFound(asked({ result: "give_up" }), 1_000).why).toEqual([]);
});
