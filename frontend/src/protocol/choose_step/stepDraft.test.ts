import { describe, expect, test } from "vitest";
import type { OpenStep, Path, Rated } from "@/api/pathTypes";
import { clashOf, commandFor, NO_CHOICES } from "@/protocol/keyMap";
import { pathCommands } from "./commands";
import { stepToSend } from "./path";
import { newStepDraft, rowInHand, type StepAction, stepReducer } from "./stepDraft";
import { explainLack, openWords } from "./words";

const completion = (number: number): Rated => ({
  number,
  text: `Step ${number}.`,
  count: 1,
  final: false,
  rating: null,
  flagged: false,
});

function open(count: number, change: Partial<OpenStep> = {}): OpenStep {
  const completions = Array.from({ length: count }, (_, at) => completion(at));
  const state = count > 1 ? "all" : "first";
  return {
    step: 3,
    state,
    completions,
    may_write: count > 1,
    more: 0,
    may_ask_more: false,
    trouble: null,
    look_again_ms: null,
    ...change,
  };
}

function run(...actions: StepAction[]) {
  return actions.reduce(stepReducer, newStepDraft());
}

describe("the draft of a step", () => {
  test("waits with the focus for a completion that is still to come", () => {
    const rated = run({ type: "rate", row: 0, number: 0, rating: 0 });
    expect(rowInHand(rated, 0, open(1).completions)).toBe(0);
    expect(rowInHand(rated, 0, open(3).completions)).toBe(1);
  });
  test("keeps what was written aside while a completion is great, and sends it where none is", () => {
    const write: StepAction = { type: "write", field: "text", value: " Add them. " };
    const great = run(write, { type: "rate", row: 0, number: 0, rating: 1 });
    expect(stepToSend(open(2), great.content).human).toBeNull();
    expect(great.content.text).toBe(" Add them. ");
    const undone = stepReducer(great, { type: "undo" });
    expect(stepToSend(open(2), undone.content).human).toBe("Add them.");
  });
  test("takes back a whole text with one undo, and a rating with another", () => {
    const typed = run(
      { type: "rate", row: 0, number: 0, rating: -1 },
      { type: "write", field: "text", value: "A" },
      { type: "write", field: "text", value: "Ad" },
    );
    const once = stepReducer(typed, { type: "undo" });
    expect(once.content).toEqual({ said: { 0: { rating: -1, flagged: false } }, text: "", answer: "" });
    expect(stepReducer(once, { type: "undo" }).content.said).toEqual({});
  });
  test("leaves no trace of an action that changes nothing", () => {
    const draft = run({ type: "rate", row: 0, number: 0, rating: 1 });
    expect(stepReducer(draft, { type: "write", field: "text", value: "" })).toBe(draft);
  });
});

test("the line beside a step says what happens next", () => {
  const path: Pick<Path, "neutral_may_be_chosen"> = { neutral_may_be_chosen: false };
  const rate = (...ratings: (1 | 0 | -1)[]) =>
    run(...ratings.map((rating, row) => ({ type: "rate" as const, row, number: row, rating }))).content;
  expect(openWords(path, open(0, { state: "waiting" }), rate())).toBe("The next step is being written.");
  expect(openWords(path, open(1), rate())).toContain("One completion is offered.");
  expect(openWords(path, open(1), rate(1))).toBe("The one great completion becomes the next step.");
  expect(openWords(path, open(3), rate(1, 1))).toBe("3 in all. Rate every one.");
  expect(openWords(path, open(1, { state: "all" }), rate())).toBe("Only one is offered. Rate it.");
  expect(openWords(path, open(0, { state: "all" }), rate())).toContain("write the step");
  expect(openWords(path, open(3), rate(1, 1, 0))).toContain("draws the next step from the two great ones");
  expect(openWords(path, open(2), rate(0, 0))).toContain("None is great, so write the step");
  expect(openWords({ neutral_may_be_chosen: true }, open(2), rate(0, -1))).toContain("The one neutral completion");
});

test("no two commands of a path share a key, and each key is found", () => {
  for (const command of pathCommands) {
    for (const key of command.keys) {
      expect(clashOf(pathCommands, command.name, key, NO_CHOICES)).toBeNull();
      expect(commandFor(pathCommands, key, NO_CHOICES)).toBe(command);
    }
  }
});

test("without a completion, the step that is missing follows from nothing offered, not from nothing great", () => {
  const lack = { code: "human_needed", number: null } as const;
  expect(explainLack(lack, open(0, { state: "all" }))).toBe("Nothing is offered: write the step.");
  expect(explainLack(lack, open(2))).toBe("None is great: write the step.");
});
