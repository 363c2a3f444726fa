import { describe, expect, test } from "vitest";
import { excerpt } from "./excerpt";
import { carriedWords, disagreements, notesByStep, type ShownLabel } from "./shownLabel";

function label(parts: Partial<ShownLabel>): ShownLabel {
  return {
    id: 1,
    labeler: { id: 1, display_name: "Ada" },
    status: "submitted",
    finish_reason: "solution",
    finish_detail: {},
    submitted_at: null,
    active_ms: 0,
    total_ms: null,
    verdict: null,
    noticed_at_step: null,
    surplus: false,
    ratings: [],
    carried: [],
    step_active_ms: [],
    mistake: null,
    alternatives: [],
    comments: [],
    reports: [],
    confirmations: [],
    guideline_version: null,
    scores_revealed_at: null,
    edited_after_reveal: false,
    ...parts,
  };
}

describe("shown labels", () => {
  test("a step is in dispute only where both labels rated it, differently", () => {
    const labels = [label({ ratings: [1, 1, -1, null] }), label({ ratings: [1, 0, 1, 1] })];
    expect([...disagreements(labels)]).toEqual([1, 2]);
    expect(disagreements([label({ ratings: [1, -1] })]).size).toBe(0);
    expect(disagreements([]).size).toBe(0);
  });

  test("a rating that was carried over says whence, as far as it is known", () => {
    const carried = [
      { step: 0, task_id: 12 },
      { step: 1, task_id: null },
    ];
    const words = [0, 1, 2].map((step) => carriedWords(label({ carried }), step));
    expect(words).toEqual(["carried over from task 12", "carried over", null]);
  });

  test("comments and split reports stand at their step, with who wrote them", () => {
    const notes = notesByStep([
      label({
        comments: [{ step: 2, text: "Why?" }],
        reports: [
          { kind: "split_badly", step: 2, text: "" },
          { kind: "answer_wrong", step: null, text: "It is 4" },
        ],
      }),
    ]);
    expect([...notes.keys()]).toEqual([2]);
    expect(notes.get(2)).toEqual([
      { labeler: "Ada", text: "Why?" },
      { labeler: "Ada", text: "Split badly." },
    ]);
  });
});

describe("excerpt", () => {
  test("whole formulas stay", () => {
    expect(excerpt("Let $x=1$ and \\(y\\).")).toBe("Let $x=1$ and \\(y\\).");
  });

  test("a formula that was cut off is left out", () => {
    expect(excerpt("Let $x=1$ and $y = \\fra")).toBe("Let $x=1$ and …");
    expect(excerpt("Find \\[ x^2 +")).toBe("Find …");
  });

  test("formulas on lines of their own are drawn in the line", () => {
    expect(excerpt("Solve\n\\[x^2 = 4\\]\nor $$x = 1$$")).toBe("Solve \\(x^2 = 4\\) or $x = 1$");
  });

  test("a word that the server cut off is left out", () => {
    expect(excerpt(`${"a ".repeat(79)}wo`)).toBe(`${"a ".repeat(79)}…`);
    expect(excerpt("a whole text")).toBe("a whole text");
  });

  test("escaped dollars are money", () => {
    expect(excerpt("It costs \\$5.")).toBe("It costs \\$5.");
  });

  test.each([
    "Marisa gets a $5/day allowance from each of her parents.",
    "Tabitha agreed to pay John and Jill $3 each, or $4.50, or $1,000 in all.",
    "5*$3=$15 a day and 12*$4=48",
    "earns $<<5*3=15>>15 in US$ a week",
    "He has $20 and $y$ coins of $x_1$ cents",
  ])("an amount of money is no formula: %s", (text) => {
    expect(excerpt(text)).toBe(text);
  });

  test("behind money a formula that was cut off is left out all the same", () => {
    expect(excerpt("Pay $5 for $x^2$ and $y = \\fra")).toBe("Pay $5 for $x^2$ and …");
    expect(excerpt("Pay $5 for $3 \\begin{pma")).toBe("Pay $5 for …");
    expect(excerpt("Pay $5 for $$x = 1")).toBe("Pay $5 for …");
  });
});
