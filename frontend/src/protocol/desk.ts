/** The labeler's own aids next to the label, kept with the draft. Undo leaves them alone. Pure. */

/** A line of the calculator. It is sent with the label, so that its use is recorded. */
export interface Calculation {
  input: string;
  result: string;
}

export interface DeskThings {
  scratch: string;
  calculations: readonly Calculation[];
  /** Steps to look at again before the label is submitted, in order. */
  lookAgain: readonly number[];
}

export const EMPTY_DESK: DeskThings = { scratch: "", calculations: [], lookAgain: [] };

/** The most calculator lines that a submission accepts; the latest are kept. */
const MOST_CALCULATIONS = 200;

export function withLookAgain(desk: DeskThings, step: number): DeskThings {
  const marked = desk.lookAgain.includes(step);
  const others = desk.lookAgain.filter((one) => one !== step);
  return { ...desk, lookAgain: marked ? others : [...others, step].sort((a, b) => a - b) };
}

/** Add a line of the calculator; a repeat of the last line is dropped. */
export function withCalculation(desk: DeskThings, calculation: Calculation): DeskThings {
  const last = desk.calculations.at(-1);
  if (last?.input === calculation.input && last.result === calculation.result) return desk;
  return { ...desk, calculations: [...desk.calculations, calculation].slice(-MOST_CALCULATIONS) };
}
