import cases from "@cases/after_error_cases.json";
import { describe, expect, test, vi } from "vitest";
import type { Mistake, Rating } from "@/api/types";
import { type CandidateRow, candidateRows, countOf, missingAfterError, NOTHING_SAID, ratingOf } from "./afterError";
import { commands, type Workbench } from "./commands";
import { type Draft, type DraftAction, draftReducer, emptyContent, newDraft } from "./draft";
import { explain } from "./findings";
import { FIRST_ERROR } from "./firstError";
import { commandFor, commandPressed } from "./keyMap";
import { commandsAt } from "./mistakeCommands";

test.each(cases)("$name", ({ asked, error, mistake, rated, missing }) => {
  const said = { ...NOTHING_SAID, ...mistake } as Mistake;
  const found = missingAfterError(asked, error ?? -1, said, rated as (Rating | null)[]);
  expect(found.map((one) => one.code)).toEqual(missing);
  for (const one of found) expect(explain(one)).toContain("This round asks");
});

const ROWS = candidateRows(
  1,
  [
    { id: 1, step: 1, text: "So $x = 2$." },
    { id: 2, step: 0, text: "elsewhere" },
    { id: 3, step: 1, text: " So  $x = 2$.\n" },
  ],
  [
    { step: 1, kind: "alternative", number: 1, text: "So $x = 2$." },
    { step: 1, kind: "explanation", number: 1, text: "The sign." },
    { step: 1, kind: "alternative", number: 2, text: "So $x = 3$." },
  ],
);

/** A workbench with a trace whose second step is wrong; keys do what they do on the page. */
class Desk {
  draft: Draft = newDraft(FIRST_ERROR, { ...emptyContent(3), ratings: [1, -1, null] }, 1);
  row: CandidateRow | null = null;

  press(...keys: string[]): void {
    for (const key of keys) {
      const command = commandFor(commandsAt({ row: this.row }, commands), key, {});
      const bench = this.bench();
      if (command?.enabled(bench)) command.run(bench);
    }
  }

  private bench(): Workbench {
    const nothing = vi.fn();
    const goTo = (row: CandidateRow | null) => {
      this.row = row;
    };
    const card = { rows: ROWS, row: this.row, goTo };
    const dispatch = (action: DraftAction) => {
      this.draft = draftReducer(this.draft, action);
    };
    const others = {
      open: nothing,
      realise: nothing,
      moveByPage: nothing,
      scrollWide: nothing,
      toggleRaw: nothing,
      toggleChanges: nothing,
    };
    const more = { showReference: nothing, submit: nothing, undoSubmission: nothing };
    const tools = { toggleLater: nothing, hasLater: false, isRun: false, sayOfRun: nothing, copyTex: nothing };
    const tracing = { on: false, next: nothing, go: nothing, end: nothing };
    const facts = { referenceAvailable: false, earlierLabels: 0, canUndoSubmission: false };
    return { ...others, ...more, ...tools, ...facts, tracing, draft: this.draft, card, dispatch };
  }
}

describe("the second pass", () => {
  test("equal candidates are one row with a count, explanations before them", () => {
    expect(ROWS.map((row) => [row.kind, countOf(row)])).toEqual([
      ["explanation", 1],
      ["alternative", 3],
      ["alternative", 1],
    ]);
  });
  test("j goes in, rating keys rate and go on, q is unsure, and each is one undo", () => {
    const desk = new Desk();
    desk.press("j", "x", "q", "space", "0");
    const { alternatives, suggestions } = desk.draft.content;
    expect(alternatives).toEqual([
      { completion: 1, rating: 1, flagged: true },
      { completion: 3, rating: 1, flagged: true },
    ]);
    expect(suggestions.map((one) => [one.kind, one.number, one.rating])).toEqual([
      ["explanation", 1, -1],
      ["alternative", 1, 1],
      ["alternative", 2, 0],
    ]);
    expect(desk.draft.content.ratings).toEqual([1, -1, null]);
    expect(ROWS.map((row) => ratingOf(row, desk.draft.content).rating)).toEqual([-1, 1, 0]);
    desk.press("z");
    expect(ROWS.map((row) => ratingOf(row, desk.draft.content).rating)).toEqual([-1, 1, null]);
    desk.press("z", "z", "z");
    expect(desk.draft.content.alternatives).toEqual([]);
    expect(desk.draft.past).toHaveLength(0);
  });
  test("k at its top is the step again, j at its end the step after it, backspace clears the row alone", () => {
    const desk = new Desk();
    desk.press("j", "space", "k", "backspace");
    expect(desk.draft.content.suggestions).toEqual([]);
    desk.press("k");
    expect([desk.row, desk.draft.focus]).toEqual([null, 1]);
    desk.press("j", "j", "j", "j");
    expect(desk.draft.focus).toBe(2);
  });
  test("1, 2 and 3 are the progress, pressed again they take it back", () => {
    const desk = new Desk();
    desk.press("2");
    expect(desk.draft.content.mistake.progress).toBe("some");
    desk.press("3");
    expect(desk.draft.content.mistake.progress).toBe("most");
    desk.press("3");
    expect(desk.draft.content.mistake.progress).toBeNull();
    expect(desk.draft.content.ratings[1]).toBe(-1);
  });
  test("on a row of the card 1 is +1, and nothing is said of the progress", () => {
    const desk = new Desk();
    desk.press("3", "j", "1", "2", "3");
    expect(desk.draft.content.mistake.progress).toBe("most");
    expect(desk.draft.content.suggestions.map((one) => one.rating)).toEqual([1]);
  });
  test("elsewhere 1 is +1 as ever", () => {
    const press = { key: "1", preventDefault: vi.fn() } as unknown as KeyboardEvent;
    expect(commandPressed(commands, press, {})?.name).toBe("rate_plus");
  });
});
