/** The commands at a mistake: the card under the first −1 is a second pass with the keys of the first. */
import type { Mistake, Rating } from "@/api/types";
import { type CandidateRow, ratingOf } from "./afterError";
import type { Draft, DraftAction } from "./draft";
import type { Command } from "./keyMap";

/** The card of the mistake, while its step has the focus. */
export interface Card {
  rows: readonly CandidateRow[];
  /** The current row; null if the step itself is current. */
  row: CandidateRow | null;
  /** Go to a row, or with null back to the step. */
  goTo: (row: CandidateRow | null) => void;
}

/** Ways to say something about the label's error from anywhere on the page; each moves the focus to that step first. */
export interface AboutMistake {
  chooseKind: () => void;
  correctStep: () => void;
  explain: () => void;
}

/** What these commands use of the page. */
export interface MistakeBench {
  draft: Draft;
  /** Set at the step with the label's error. */
  card?: Card | null;
  /** Null while no step is rated −1. */
  about?: AboutMistake | null;
  dispatch: (action: DraftAction) => void;
}

/** Act on the current row; false if the step itself is current, so that the key applies to the step. */
function onRow(bench: MistakeBench, act: (card: Card, row: CandidateRow) => void): boolean {
  if (!bench.card?.row) return false;
  act(bench.card, bench.card.row);
  return true;
}

/** Rate the current row and go on to the next. */
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

/**
 * Move into the card, along its rows and out again: from its top back to the step, from its end on to the next step.
 */
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

/** Do keys apply to the step with the error, and not to a row of its card? */
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

/**
 * At the step with the mistake, these take precedence over other commands with their keys. On a row of its card, the
 * same keys are ratings.
 */
export const progressCommands: readonly Command<MistakeBench>[] = [
  progress("none", "1", "none"),
  progress("some", "2", "some"),
  progress("most", "3", "most of it"),
];

/** The commands that keys run, at the step with the mistake or elsewhere. */
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
