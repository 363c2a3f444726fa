import { expect, test } from "vitest";
import type { LabelFacets } from "@/api/labelListTypes";
import { formatDateTime } from "@/ui/format";
import { FILTERS, filterWords, headline, type LabelFilters, secondsOf, verdictOf } from "./labelWords";

const none = Object.fromEntries(FILTERS.map((name) => [name, ""])) as LabelFilters;
const facets: LabelFacets = {
  as_of: "2026-05-01T12:00:00Z",
  all: 1328,
  total: 70,
  floor_ms: 2000,
  scorer: null,
  facets: [{ name: "labeler", values: [{ value: "7", name: "Ada", labels: 13 }] }],
  tags: [],
};

test("the first line says what is in view", () => {
  expect(headline(facets, none)).toBe("1,328 labels");
  expect(headline(facets, { ...none, why: "any" })).toBe("70 labels need a look");
  expect(headline({ ...facets, total: 0 }, { ...none, why: "any" })).toBe("No labels need a look");
  expect(headline(facets, { ...none, labeler: "7" })).toBe("70 of 1,328 labels");
  expect(headline({ ...facets, all: 0, total: 0 }, none)).toBe("Labels");
});

test("a filter is named as a person knows it", () => {
  expect(filterWords("labeler", "7", facets)).toBe("labeler: Ada");
  expect(filterWords("verdict", "no_error", facets)).toBe("verdict: no error");
  expect(filterWords("step", "0", facets)).toBe("first error at step 1");
  const moment = "2026-11-05T23:00:00.000Z";
  expect(filterWords("since", moment, facets)).toBe(`since ${formatDateTime(moment)}`);
  expect(filterWords("until", moment, facets)).toBe(`before ${formatDateTime(moment)}`);
  expect(filterWords("since", "soon", facets)).toBe("since soon");
});

test("a verdict and a pace are never made up", () => {
  expect(verdictOf({ finish_reason: "found_error", verdict: 3 })).toBe("error at step 4");
  expect(verdictOf({ finish_reason: "found_error", verdict: null })).toBe("error elsewhere");
  expect(secondsOf(null)).toBe("n/a");
  expect(secondsOf(0.94)).toBe("0.9");
  expect(secondsOf(14.2)).toBe("14");
});
