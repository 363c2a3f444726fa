/** Texts about a path that was chosen step by step, while it is chosen and later. Pure. */

/** The parts of a path's step that its texts need. */
export interface ToldStep {
  source: "given" | "model" | "human";
  great: number;
  offered: number;
  ratings: readonly { rating: number | null }[];
}

/** How a step came into the path: "offered, great", "the one great of 7", "drawn of 2 great", "written by you". */
export function originOf({ source, great, offered, ratings }: ToldStep, writer = "you"): string {
  if (source === "given") return "given";
  if (source === "human") return `written by ${writer}`;
  if (great === 0) {
    const neutral = ratings.filter(({ rating }) => rating === 0).length;
    return neutral === 1 ? `the one neutral of ${offered}` : `drawn of ${neutral} neutral`;
  }
  if (great > 1) return `drawn of ${great} great`;
  return offered === 1 ? "offered, great" : `the one great of ${offered}`;
}

const ANSWER = /# Answer(?<=(?:^|\n)\s*# Answer)\s*\n\s*([\s\S]*)$/;

/**
 * Split a step into its text and the final answer that it ends with; the answer is empty if it does not end the path.
 */
export function splitAnswer(text: string): { said: string; answer: string } {
  const found = ANSWER.exec(text);
  if (!found) return { said: text, answer: "" };
  return { said: text.slice(0, found.index).trimEnd(), answer: found[1]?.trim() ?? "" };
}

/**
 * An answer as text with TeX. Answers of MATH are bare TeX ("\frac{1}{2}"); those without any command are shown as they
 * are.
 */
export function answerText(answer: string): string {
  return /[\\^_]/.test(answer) && !answer.includes("$") && !answer.includes("\n") ? `$${answer.trim()}$` : answer;
}

/** Is the trace a path that labelers chose in this product? Its source says so. */
export function isPath({ source }: { source: string }): boolean {
  return source === "choose_step";
}
