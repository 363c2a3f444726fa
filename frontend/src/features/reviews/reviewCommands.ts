import { commandNamed } from "@/protocol/commands";
import type { Binding, Command } from "@/protocol/keyMap";

/** What a command may look at and use while one trace after the other is reviewed. */
export interface ReviewBench {
  rate: (rating: -1 | 0 | 1) => void;
  clear: () => void;
  move: (by: number) => void;
  submit: () => void;
  later: () => void;
  /** Null where there is nothing to go back to. */
  back: (() => void) | null;
}

const always = () => true;

/** A command of the labeling page, with the key that the person gave it there. */
function as(name: string, run: (bench: ReviewBench) => void): Command<ReviewBench> {
  const { title, group, keys } = commandNamed(name);
  return { name, title, group, keys, enabled: always, run };
}

export const LATER: Binding = { name: "review_later", title: "Put this one off", group: "Page", keys: ["s"] };

export const reviewCommands: readonly Command<ReviewBench>[] = [
  as("rate_plus", ({ rate }) => rate(1)),
  as("rate_zero", ({ rate }) => rate(0)),
  as("rate_minus", ({ rate }) => rate(-1)),
  as("clear_rating", ({ clear }) => clear()),
  as("next_step", ({ move }) => move(1)),
  as("previous_step", ({ move }) => move(-1)),
  as("submit", ({ submit }) => submit()),
  { ...as("undo", ({ back }) => back?.()), enabled: ({ back }) => back !== null },
  { ...LATER, enabled: always, run: ({ later }) => later() },
];

/** In a list the arrow keys scroll, and the letters move. */
export const listMoves: readonly (Binding & { by: 1 | -1 })[] = [
  { ...commandNamed("next_step"), keys: ["j"], by: 1 },
  { ...commandNamed("previous_step"), keys: ["k"], by: -1 },
];
