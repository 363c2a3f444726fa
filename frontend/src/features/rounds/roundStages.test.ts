import { describe, expect, test } from "vitest";
import type { StageProgress } from "@/api/roundTypes";
import { actionsOf, doneWords, paceWords, placeOf, sampleWords } from "./roundStages";

function stage(parts: Partial<StageProgress>): StageProgress {
  return {
    stage: "scoring",
    title: "Score",
    means: "",
    whole: false,
    doing: "",
    state: "running",
    total: 9_000,
    done: 1_204,
    unit: "traces",
    chunks: 36,
    chunks_done: 4,
    per_second: 42.4,
    seconds_left: 184,
    started_at: "2026-11-22T10:00:00Z",
    finished_at: null,
    workers: 2,
    held_up: "",
    ...parts,
  };
}

describe("a stage", () => {
  test("says how much is done, how fast it goes and when it will be over", () => {
    expect(doneWords(stage({}))).toBe("1,204 of 9,000 traces (13 %)");
    expect(paceWords(stage({}))).toBe("42 a second, about 3 min 4 s left, 2 workers");
    expect(paceWords(stage({ per_second: 0.05, seconds_left: null, workers: 1 }))).toBe("3.0 a minute, 1 worker");
  });

  test("that waits for a worker says so and promises no time", () => {
    expect(paceWords(stage({ workers: 0 }))).toBe("");
    expect(doneWords(stage({ total: 0, done: 0 }))).toBe("Planning the work…");
  });

  test("that is over says how long it took; one without work says that", () => {
    const over = stage({ state: "done", done: 9_000, finished_at: "2026-11-22T10:03:30Z" });
    expect(doneWords(over)).toBe("9,000 traces");
    expect(paceWords(over)).toBe("took 3 min 30 s");
    expect(doneWords(stage({ state: "skipped" }))).toBe("Nothing to do here.");
    expect(doneWords(stage({ state: "done", total: 0, done: 0 }))).toBe("Nothing to do here.");
  });
});

describe("a stage that is done in one stroke", () => {
  const whole = (parts: Partial<StageProgress>) =>
    stage({ whole: true, doing: "Choosing…", total: 0, done: 0, ...parts });

  test("says what the server says of it while it runs, and is done or not", () => {
    expect(doneWords(whole({}))).toBe("Choosing…");
    expect(doneWords(whole({ state: "done" }))).toBe("Done.");
    expect(doneWords(whole({ state: "waiting" }))).toBe("");
    expect(doneWords(whole({ doing: "Writing 16 tasks…", total: 16 }))).toBe("Writing 16 tasks…");
    expect(doneWords(whole({ state: "done", total: 16, done: 16 }))).toBe("16 traces");
  });
});

describe("what became of samples", () => {
  test("what was kept, and why the others were not", () => {
    const dropped = { no_answer: 1_009, blank: 2, duplicate: 0, over_cap: 1 };
    expect(sampleWords({ samples: 1_017, kept: 5, dropped })).toBe(
      "5 kept; 1,009 without a final answer, 2 empty, 1 over cap",
    );
    expect(sampleWords({ samples: 4, kept: 4, dropped: {} })).toBe("4 kept");
    expect(sampleWords({ samples: 0, kept: 0, dropped: {} })).toBe("");
  });
});

describe("what can be done with a round", () => {
  const round = (status: string, resume_to = "", workers = "") =>
    ({ status, resume_to, working: workers === "at it", with_workers: workers !== "", imported: false }) as never;

  test("while workers have it: pause or cancel; a failed one is tried again", () => {
    expect(actionsOf(round("scoring", "", "at it"))).toEqual(["pause", "cancel"]);
    expect(actionsOf(round("failed", "scoring", "stopped"))).toEqual(["resume", "cancel"]);
    expect(actionsOf(round("preparing", "", "at it"))).toEqual(["pause", "cancel"]);
    expect(actionsOf(round("paused", "preparing", "stopped"))).toEqual(["resume", "cancel"]);
  });

  test("when it is ready: publish; a paused one goes back to where it was", () => {
    expect(actionsOf(round("ready"))).toEqual(["publish", "cancel"]);
    expect(actionsOf(round("paused", "grading", "stopped"))).toEqual(["resume", "cancel"]);
    expect(actionsOf(round("paused", "labeling"))).toEqual(["resume", "close"]);
    expect(actionsOf(round("paused"))).toEqual(["resume", "close"]);
    expect(placeOf(round("paused", "grading"))).toBe("grading");
  });

  test("when it is over: nothing", () => {
    expect(actionsOf(round("closed"))).toEqual([]);
    expect(actionsOf(round("cancelled"))).toEqual([]);
  });
});
