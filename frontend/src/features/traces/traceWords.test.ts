import { describe, expect, it } from "vitest";
import type { ListedTrace, TraceFacets } from "@/api/projectTypes";
import {
  FILTERS,
  facetGroups,
  filterSays,
  headline,
  heldOutWords,
  inOrder,
  madeGoldWords,
  noneWords,
  noRoundWords,
  ordersOf,
  orderWords,
  roundOfFitting,
  roundOfPicked,
  saidOf,
  type TraceFilters,
  unsearchedWords,
} from "./traceWords";

const nothing = Object.fromEntries([...FILTERS, "order"].map((name) => [name, ""])) as TraceFilters;
const facets = (total: number, about: object = {}): TraceFacets =>
  ({
    as_of: "2026-05-01T12:00:00Z",
    total,
    capped: false,
    unsearched: 0,
    scorer: null,
    facets: [],
    ...about,
  }) as TraceFacets;

describe("the list of traces", () => {
  it("says how many there are, and where the count stops", () => {
    expect(headline(undefined, nothing)).toBe("Traces");
    expect(headline(facets(0), nothing)).toBe("Traces");
    expect(headline(facets(3633), nothing)).toBe("3,633 traces");
    expect(headline(facets(1), { ...nothing, outcome: "wrong" })).toBe("1 trace matches");
    expect(headline(facets(400, { capped: true }), { ...nothing, q: "prime" })).toBe(
      "At least 400 traces match: only the first thousand with these words were checked",
    );
    expect(headline(facets(400), { ...nothing, q: "prime" })).toBe("400 traces match");
  });

  it("is put in order by score where somebody scores, one outcome at a time", () => {
    const scorer = { id: 3, name: "PRM 3", scale: "probability" };
    const last = (chosen: string, by?: typeof scorer) => ordersOf(by, chosen).at(-1)?.value;
    expect([last("", scorer), last("score"), last("newest")]).toEqual(["score", "score", "shortest"]);
    const byScore = { ...nothing, order: "score", outcome: "wrong" };
    expect(inOrder(nothing, { order: "score" })).toEqual({ order: "score", outcome: "wrong" });
    expect(inOrder({ ...nothing, outcome: "correct" }, { order: "score" })).toEqual({ order: "score" });
    expect(inOrder(byScore, { outcome: "" })).toEqual({ outcome: "", order: "" });
    expect(inOrder(byScore, { labeled: "no" })).toEqual({ labeled: "no" });
    expect(inOrder(nothing, { q: "prime" })).toEqual({ q: "prime" });
    expect(orderWords(byScore, scorer)).toBe(
      "Ordered by the score of PRM 3. Traces that it has not scored are not listed, and only one outcome is listed at a time.",
    );
    expect([orderWords(nothing, scorer), orderWords(byScore, undefined)]).toEqual(["", ""]);
  });

  it("says why none is listed: the order, the words, or the filters alone", () => {
    const scorer = { id: 3, name: "PRM 3", scale: "probability" };
    const byScore = { ...nothing, order: "score", outcome: "wrong" };
    expect(noneWords(byScore, facets(397, { scorer }))).toEqual({
      title: "PRM 3 has not scored any of these traces",
      says: "Have them scored by a round or a scoring, or choose another order.",
      byOrder: true,
    });
    expect(noneWords(byScore, facets(397)).title).toBe("There are no scores here");
    expect(noneWords(byScore, facets(0, { scorer }))).toEqual({
      title: "No traces match these filters",
      says: "",
      byOrder: false,
    });
    expect(noneWords({ ...nothing, q: "prime" }, facets(0)).says).toContain("by word stem");
  });

  it("says of how many the words are not known yet", () => {
    expect(unsearchedWords(undefined)).toBe("");
    expect(unsearchedWords(facets(9))).toBe("");
    expect(unsearchedWords(facets(9, { unsearched: 1 }))).toBe(
      "1 trace is not searchable yet; it will be within minutes.",
    );
    expect(unsearchedWords(facets(9, { unsearched: 1234 }))).toBe(
      "1,234 traces are not searchable yet; they will be within minutes.",
    );
  });

  it("shows facets that tell apart, and those that are asked for", () => {
    const found = facets(9, {
      facets: [
        {
          name: "outcome",
          values: [
            { value: "wrong", traces: 5 },
            { value: "correct", traces: 4 },
          ],
          more: 0,
        },
        { name: "split", values: [{ value: "train", traces: 9 }], more: 0 },
        { name: "subject", values: [{ value: "Algebra", traces: 9 }], more: 0 },
      ],
    });
    const groups = facetGroups(found, { ...nothing, subject: "Algebra" });
    expect(groups.map(({ title }) => title)).toEqual(["Outcome", "Subject"]);
    expect(groups[0]?.values.map(({ words }) => words)).toEqual(["wrong answer", "right answer"]);
    expect(filterSays("labeled", "no")).toBe("labeled: by nobody");
  });

  it("says what labels and the selector say, with steps counted from 1", () => {
    expect(filterSays("error_min", "0")).toBe("first error at step 1 or later");
    expect(filterSays("score_max", "-1.5")).toBe("score −1.5 or less");
    expect(filterSays("first_error", "differ")).toBe("labels differ");
    const row = { first_error: 2, labels_differ: false, score: 0.25 } as ListedTrace;
    expect(saidOf(row, "probability")).toEqual(["first error: step 3", "score 0.25"]);
    expect(saidOf({ ...row, first_error: -1, score: -3.456 }, "log_ratio")).toEqual([
      "labels: no error",
      "score −3.46",
    ]);
    expect(saidOf({ ...row, first_error: null, labels_differ: true, score: 0 }, "probability")).toEqual([
      "labels differ",
      "score 0",
    ]);
    expect(saidOf({ ...row, first_error: null, score: null }, "")).toEqual([]);
  });

  it("makes a round of what fits, or of what was picked", () => {
    expect(roundOfFitting({ ...nothing, outcome: "wrong", labeled: "no", steps_min: "3" })).toBe(
      "rounds/new?traces=filter&outcome=wrong&unlabeled=true&steps_min=3",
    );
    expect(roundOfFitting({ ...nothing, split: "train" })).toBe("rounds/new?traces=filter&split=train");
    expect(roundOfFitting({ ...nothing, q: "prime" })).toBeNull();
    expect(roundOfFitting({ ...nothing, labeled: "yes" })).toBeNull();
    const scored = { ...nothing, first_error: "some", error_max: "0", score_min: "0.5" };
    expect(roundOfFitting(scored)).toBeNull();
    expect(roundOfFitting(scored, 4)).toBe(
      "rounds/new?traces=filter&first_error=some&error_max=0&score_min=0.5&scored_by=4",
    );
    expect(roundOfPicked([7, 3])).toBe("rounds/new?traces=filter&ids=3,7");
  });

  it("says why no round is made of what words find", () => {
    const words =
      "You cannot make a round from a text search. Pick traces below to make a round of them, or clear the search.";
    expect(noRoundWords({ ...nothing, q: "prime" }, facets(3))).toBe(words);
    expect(noRoundWords({ ...nothing, q: "prime" }, facets(0))).toBe("");
    expect(noRoundWords({ ...nothing, q: "prime" }, undefined)).toBe("");
    expect(noRoundWords({ ...nothing, outcome: "wrong" }, facets(3))).toBe("");
  });
});

it("says of what was picked and not made gold why not", () => {
  expect(madeGoldWords({ changed: 2, already: 0, unknown: 0 })).toBe("2 traces made gold.");
  expect(madeGoldWords({ changed: 1, already: 0, unknown: 1 })).toBe(
    "1 of 2 traces made gold; for the other, no first error is known.",
  );
  expect(madeGoldWords({ changed: 1, already: 3, unknown: 0 })).toBe(
    "1 of 4 traces made gold; the others were already gold.",
  );
  expect(madeGoldWords({ changed: 4, already: 1, unknown: 2 })).toBe(
    "4 of 7 traces made gold; 1 was already gold; for 2, no first error is known.",
  );
  expect(heldOutWords({ changed: 1, already: 0, unknown: 0 })).toBe("1 problem held out.");
  expect(heldOutWords({ changed: 1, already: 2, unknown: 0 })).toBe(
    "1 of 3 problems held out; the others were already.",
  );
});
