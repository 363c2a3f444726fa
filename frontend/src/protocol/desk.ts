/** What lies on a labeler's desk beside the label: for themselves, kept with the draft. Undo leaves it alone. Pure. */

/** A line of the calculator: it is sent with the label, so that its use is known. */
export interface Calculation {
  input: string;
  result: string;
}

export interface DeskThings {
  scratch: string;
  calculations: readonly Calculation[];
  /** Steps to have another look at before the label is submitted, in order. */
  lookAgain: readonly number[];
}

export const EMPTY_DESK: DeskThings = { scratch: "", calculations: [], lookAgain: [] };

/** As many lines of the calculator as a submission takes; the latest are kept. */
const MOST_CALCULATIONS = 200;

export function withLookAgain(desk: DeskThings, step: number): DeskThings {
  const marked = desk.lookAgain.includes(step);
  const others = desk.lookAgain.filter((one) => one !== step);
  return { ...desk, lookAgain: marked ? others : [...others, step].sort((a, b) => a - b) };
}

/** The same line twice in a row is one. */
export function withCalculation(desk: DeskThings, calculation: Calculation): DeskThings {
  const last = desk.calculations.at(-1);
  if (last?.input === calculation.input && last.result === calculation.result) return desk;
  return { ...desk, calculations: [...desk.calculations, calculation].slice(-MOST_CALCULATIONS) };
}
