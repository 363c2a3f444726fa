/** What can be done at a mistake: the card under the first −1, as a second pass with the keys of the first. */
import type { Mistake, Rating } from "@/api/types";
import { type CandidateRow, ratingOf } from "./afterError";
import type { Draft, DraftAction } from "./draft";
import type { Command } from "./keyMap";

/** The card of the mistake, while its step has the focus. */
export interface Card {
  rows: readonly CandidateRow[];
  /** The row in hand; null: the step itself is. */
  row: CandidateRow | null;
  /** To a row; null: back to the step. */
  goTo: (row: CandidateRow | null) => void;
}

/** To say something about the label's error, from wherever the focus is: it goes to that step first. */
export interface AboutMistake {
  chooseKind: () => void;
  correctStep: () => void;
  explain: () => void;
}

/** What is used of the page. */
export interface MistakeBench {
  draft: Draft;
  /** At the step with the label's error. */
  card?: Card | null;
  /** Null: no step is rated −1 yet. */
  about?: AboutMistake | null;
  dispatch: (action: DraftAction) => void;
}

/** Does the key mean the row in hand, and not the step? Then it is done. */
function onRow(bench: MistakeBench, act: (card: Card, row: CandidateRow) => void): boolean {
  if (!bench.card?.row) return false;
  act(bench.card, bench.card.row);
  return true;
}

/** Rate the row in hand and go on to the next. */
export function rateRow(bench: MistakeBench, rating: Rating): boolean {
  return onRow(bench, (card, row) => {
    const { flagged } = ratingOf(row, bench.draft.content);
    bench.dispatch({ type: "rateCandidate", row, rating, flagged });
    const next = card.rows[placeOf(card, row) + 1];
    if (next) card.goTo(next);
  });
}

export function clearRow(bench: MistakeBench): boolean {
  return onRow(bench, (_, row) => bench.dispatch({ type: "rateCandidate", row, rating: null, flagged: false }));
}

/** Into the card, along its rows, and out of it again: at its top back to the step, at its end on to the next step. */
export function moveRow(bench: MistakeBench, by: 1 | -1): boolean {
  const { card } = bench;
  const at = card?.row ? placeOf(card, card.row) : -1;
  if (!card || (at < 0 && (by < 0 || card.rows.length === 0))) return false;
  if (at + by >= card.rows.length) return false;
  card.goTo(card.rows[at + by] ?? null);
  return true;
}

function placeOf(card: Card, row: CandidateRow): number {
  return card.rows.findIndex((one) => one.key === row.key);
}

/** The step with the error has the keys, and not a row of its card. */
function isAtStep({ card }: MistakeBench): boolean {
  return card?.row === null;
}

function hasMistake({ about }: MistakeBench): boolean {
  return Boolean(about);
}

function progress(name: NonNullable<Mistake["progress"]>, key: string, words: string): Command<MistakeBench> {
  return {
    name: `progress_${name}`,
    title: `Progress before the mistake: ${words}`,
    group: "Mistake",
    keys: [key],
    enabled: isAtStep,
    run: ({ draft, dispatch }) =>
      dispatch({ type: "mistake", mistake: { progress: draft.content.mistake.progress === name ? null : name } }),
  };
}

/** At the step with the mistake these come before what else has their keys; on a row of its card they are ratings. */
export const progressCommands: readonly Command<MistakeBench>[] = [
  progress("none", "1", "none"),
  progress("some", "2", "some"),
  progress("most", "3", "most of it"),
];

/** What keys do at a mistake's card, or where there is none. */
export function commandsAt<Bench extends MistakeBench>(
  card: Pick<Card, "row"> | null | undefined,
  commands: readonly Command<Bench>[],
): readonly Command<Bench>[] {
  return card?.row === null ? [...progressCommands, ...commands] : commands;
}

export const mistakeCommands: readonly Command<MistakeBench>[] = [
  {
    name: "error_kind",
    title: "Kind of mistake, or a clause (§): type to find it",
    group: "Mistake",
    keys: ["f"],
    enabled: hasMistake,
    run: ({ about }) => about?.chooseKind(),
  },
  {
    name: "corrected_step",
    title: "Write what the step should have said",
    group: "Mistake",
    keys: ["i"],
    enabled: hasMistake,
    run: ({ about }) => about?.correctStep(),
  },
  {
    name: "explain_mistake",
    title: "Write what is wrong yourself (no explanation is good)",
    group: "Mistake",
    keys: ["n", "m"],
    enabled: hasMistake,
    run: ({ about }) => about?.explain(),
  },
  {
    name: "unsure",
    title: "Unsure about this candidate",
    group: "Mistake",
    keys: ["q"],
    enabled: ({ card }) => Boolean(card?.row),
    run: (bench) =>
      onRow(bench, (_, row) => {
        const { rating, flagged } = ratingOf(row, bench.draft.content);
        bench.dispatch({ type: "rateCandidate", row, rating, flagged: !flagged });
      }),
  },
];
