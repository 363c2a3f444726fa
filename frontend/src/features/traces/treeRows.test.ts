import fc from "fast-check";
import { expect, test } from "vitest";
import type { TreeBranch } from "@/api/projectTypes";
import {
  FEW,
  forestOf,
  keyMeans,
  keyOf,
  MORE,
  openAtFirst,
  pairOf,
  rowsOf,
  sharedSteps,
  toggled,
  wayTo,
} from "./treeRows";

const NOTHING = { negative: 0, neutral: 0, positive: 0, first_errors: 0 };

/** Return a branch of one step. `ends`: the ids of the traces that end with it; odd ones are right. */
function branch(number: number, parent: number | null, start: number, traces: number, ends: number[] = []): TreeBranch {
  const outcomes = { correct: 0, wrong: 0, ungraded: traces };
  return {
    ...{ number, parent, start, length: 1, traces, outcomes, right_share: null, score: null },
    steps: [
      {
        place: start,
        text: `${number}`,
        score: null,
        people: NOTHING,
        sources: [],
        rollouts: [],
        dispute: "",
        first: false,
      },
    ],
    answers: ends.map((id) => ({
      answer: "1",
      outcomes: { correct: id % 2, wrong: 1 - (id % 2), ungraded: 0 },
      traces: [id],
    })),
  };
}

/** Every trace adds a branch below some earlier branch, or at the top. */
const forests = fc.array(fc.nat(), { maxLength: 60 }).map((picks) => {
  const parents = picks.map((pick, index) => (pick % (index + 1) === index ? null : pick % (index + 1)));
  const sizes = parents.map(() => 1);
  for (let number = parents.length - 1; number >= 0; number -= 1) {
    const parent = parents[number];
    if (parent !== null && parent !== undefined) sizes[parent] = (sizes[parent] ?? 0) + (sizes[number] ?? 0);
  }
  const starts: number[] = [];
  const branches = parents.map((parent, number) => {
    starts.push(parent === null ? 0 : (starts[parent] ?? 0) + 1);
    return branch(number, parent, starts[number] ?? 0, sizes[number] ?? 1, [number + 1]);
  });
  return forestOf({ branches });
});

test("every trace is reached by opening, whatever is in sight at first", () => {
  fc.assert(
    fc.property(forests, (forest) => {
      let unfolded = openAtFirst(forest);
      expect(rowsOf(forest, unfolded).length).toBeLessThanOrEqual(40);
      for (let turn = 0; turn < 200; turn += 1) {
        const closed = rowsOf(forest, unfolded).find(
          (row) => row.kind === "rest" || (row.kind === "branch" && row.open === false),
        );
        if (!closed) break;
        unfolded = toggled(closed, unfolded);
      }
      const rows = rowsOf(forest, unfolded);
      expect(rows.filter((row) => row.kind === "branch").length).toBe(forest.nodes.length);
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    }),
  );
});

test("the way to a named trace is open from the beginning, and two traces share the steps of their common way", () => {
  fc.assert(
    fc.property(forests, fc.nat(), fc.nat(), (forest, one, other) => {
      const count = forest.nodes.length;
      if (count === 0) return;
      const [left, right] = [(one % count) + 1, (other % count) + 1];
      const rows = rowsOf(forest, openAtFirst(forest, [left]));
      for (const node of wayTo(left, forest)) expect(rows.map(({ key }) => key)).toContain(keyOf(node));
      const common = wayTo(left, forest).filter((node) => wayTo(right, forest).includes(node));
      expect(sharedSteps(left, right, forest)).toBe(common.length);
    }),
  );
  expect(sharedSteps(1, 2, forestOf({ branches: [branch(0, null, 0, 1, [1])] }))).toBeNull();
});

const SMALL = forestOf({
  branches: [branch(0, null, 0, 3, [1]), branch(1, 0, 1, 1, [2]), branch(2, 0, 1, 1, [3]), branch(3, null, 0, 1, [5])],
});

test("arrows go from row to row, open, close, and lead to the row above", () => {
  const closed = { open: new Set<string>(), shown: new Map() };
  const opened = { open: new Set(["b0"]), shown: new Map() };
  expect(rowsOf(SMALL, closed).map(({ key }) => key)).toEqual(["b0", "b3"]);
  const rows = rowsOf(SMALL, opened);
  expect(rows.map(({ key }) => key)).toEqual(["b0", "b0a0", "b1", "b2", "b3"]);
  expect(rows.map(({ level, place, beside }) => [level, place, beside])).toEqual([
    [1, 1, 2],
    [2, 1, 3],
    [2, 2, 3],
    [2, 3, 3],
    [1, 2, 2],
  ]);
  expect(keyMeans("ArrowRight", rowsOf(SMALL, closed), "b0")).toEqual({ open: true });
  expect(keyMeans("ArrowRight", rows, "b0")).toEqual({ to: "b0a0" });
  expect(keyMeans("ArrowRight", rows, "b1")).toEqual({ to: "b1" });
  expect(keyMeans("ArrowLeft", rows, "b2")).toEqual({ to: "b0" });
  expect(keyMeans("ArrowLeft", rows, "b0")).toEqual({ open: false });
  expect(keyMeans("ArrowUp", rows, "b0")).toEqual({ to: "b0" });
  expect(keyMeans("End", rows, "b0")).toEqual({ to: "b3" });
  expect(keyMeans("x", rows, "b0")).toBeNull();
});

test("a thousand ways of their own are a few rows and the rest, of which more come on demand", () => {
  const many = forestOf({ branches: Array.from({ length: 1000 }, (_, id) => branch(id, null, 0, 1, [id + 1])) });
  const first = openAtFirst(many);
  const rows = rowsOf(many, first);
  expect(rows.length).toBe(FEW + 1);
  const rest = rows.at(-1);
  expect(rest?.kind === "rest" && rest.hidden.length).toBe(1000 - FEW);
  expect(rowsOf(many, toggled(rest as (typeof rows)[number], first)).length).toBe(FEW + MORE + 1);
});

test("two to be put side by side are a right one and a wrong one, where there are both", () => {
  expect(pairOf(SMALL.tops[0] as (typeof SMALL.tops)[number])).toEqual([1, 2]);
  expect(pairOf(SMALL.tops[1] as (typeof SMALL.tops)[number])).toBeNull();
});
