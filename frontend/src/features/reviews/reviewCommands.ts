import { commandNamed } from "@/protocol/commands";
import type { Binding, Command } from "@/protocol/keyMap";

/** What a command may read and use while traces are reviewed one after another. */
export interface ReviewBench {
  rate: (rating: -1 | 0 | 1) => void;
  clear: () => void;
  move: (by: number) => void;
  submit: () => void;
  later: () => void;
  /** Null if there is nothing to go back to. */
  back: (() => void) | null;
}

const always = () => true;

/** Return a command of the labeling page, with the key that the person assigned to it there. */
function as<Bench>(name: string, run: (bench: Bench) => void): Command<Bench> {
  const { title, group, keys } = commandNamed(name);
  return { name, title, group, keys, enabled: always, run };
}

/** What a command may use while a dispute is settled. */
type RulingBench = Pick<ReviewBench, "rate" | "clear" | "move" | "submit">;

const rates: readonly Command<RulingBench>[] = [
  as("rate_plus", ({ rate }) => rate(1)),
  as("rate_zero", ({ rate }) => rate(0)),
  as("rate_minus", ({ rate }) => rate(-1)),
  as("clear_rating", ({ clear }) => clear()),
  as("submit", ({ submit }) => submit()),
];

export const LATER: Binding = { name: "review_later", title: "Put this one off", group: "Page", keys: ["s"] };

export const reviewCommands: readonly Command<ReviewBench>[] = [
  ...rates,
  as("next_step", ({ move }) => move(1)),
  as("previous_step", ({ move }) => move(-1)),
  { ...as<ReviewBench>("undo", ({ back }) => back?.()), enabled: ({ back }) => back !== null },
  { ...LATER, enabled: always, run: ({ later }) => later() },
];

const letters: readonly Command<RulingBench>[] = [
  { ...as<RulingBench>("next_step", ({ move }) => move(1)), keys: ["j"] },
  { ...as<RulingBench>("previous_step", ({ move }) => move(-1)), keys: ["k"] },
];
const arrows: readonly Command<RulingBench>[] = [
  { ...as<RulingBench>("next_step", ({ move }) => move(1)), name: "ruling_next_step", keys: ["arrowdown"] },
  { ...as<RulingBench>("previous_step", ({ move }) => move(-1)), name: "ruling_previous_step", keys: ["arrowup"] },
];

/** The arrow keys scroll the page until a step is in hand. */
export const rulingCommands = (inHand: boolean) => [...rates, ...letters, ...(inHand ? arrows : [])];

/** In a list, the arrow keys scroll and the letters move. */
export const listMoves: readonly (Binding & { by: 1 | -1 })[] = [
  { ...commandNamed("next_step"), keys: ["j"], by: 1 },
  { ...commandNamed("previous_step"), keys: ["k"], by: -1 },
];

/** Move between tasks, where j and k move between the steps of the task in hand. */
export const taskMoves: readonly (Binding & { by: 1 | -1 })[] = [
  { name: "review_next", title: "Next task", group: "Page", keys: ["n"], by: 1 },
  { name: "review_previous", title: "Task before", group: "Page", keys: ["p"], by: -1 },
];
