/** How a path that was chosen step by step is told, at the desk and afterwards. Pure. */

/** A step of a path, as far as its words go. */
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

/** What a step says, and the final answer that it ends with; an empty one where it ends nothing. */
export function splitAnswer(text: string): { said: string; answer: string } {
  const found = ANSWER.exec(text);
  if (!found) return { said: text, answer: "" };
  return { said: text.slice(0, found.index).trimEnd(), answer: found[1]?.trim() ?? "" };
}

/** Answers of MATH are bare TeX ("\frac{1}{2}"); those without any command are shown as they are. */
export function answerText(answer: string): string {
  return /[\\^_]/.test(answer) && !answer.includes("$") && !answer.includes("\n") ? `$${answer.trim()}$` : answer;
}

/** Whether a trace is a path that labelers chose in this product: its source says so. */
export function isPath({ source }: { source: string }): boolean {
  return source === "choose_step";
}
