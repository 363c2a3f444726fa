import { describe, expect, it } from "vitest";
import { type Doing, doingWords, numberedRound } from "./trainingWords";

const NOW = Date.parse("2026-11-26T12:10:00Z");
const states: Doing = { what: "states", done: 1_204, total: 9_000, since: "2026-11-26T12:06:00Z", seconds_left: 1_500 };

describe("what a run is doing", () => {
  it("is told with how much of it is done, and how long it will take", () => {
    expect(doingWords(states, NOW)).toEqual({
      does: "The base is reading the traces",
      counts: "1,204 of 9,000 traces (13 %) · 4 min so far · about 25 min left",
    });
  });

  it("says nothing of the end where nobody can tell", () => {
    expect(doingWords({ ...states, done: 0, seconds_left: null }, NOW).counts).toBe(
      "0 of 9,000 traces (0 %) · 4 min so far",
    );
    expect(doingWords({ ...states, what: "rows", total: 0 }, NOW).counts).toBe("1,204 rows · 4 min so far");
    expect(doingWords({ ...states, what: "writing", done: 0, total: 0 }, NOW).counts).toBe("4 min so far");
  });

  it("never counts back from a clock that is behind the server's", () => {
    expect(doingWords({ ...states, what: "loading", done: 0, total: 0 }, NOW - 600_000).counts).toBe("0 s so far");
  });
});

it("a screening is called by its name, for its number says nothing", () => {
  expect([numberedRound(3), numberedRound(3, "physics")]).toEqual(["round 3", "round 3 (physics)"]);
  expect([numberedRound(-2, "Screening 2"), numberedRound(-1)]).toEqual(["Screening 2", "screening"]);
});
