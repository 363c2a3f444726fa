/** The texts that the page shows about a path. Pure. */
import type { OpenStep, Path, Rated } from "@/api/pathTypes";
import type { Lack } from "./path";
import { among, great, lacks, mustWrite } from "./path";
import type { StepContent } from "./stepDraft";

const COUNT_WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven"];

/** The number of completions offered; equal ones are counted separately. */
function countOffered(completions: readonly Rated[]): number {
  return completions.reduce((sum, { count }) => sum + count, 0);
}

/** The line next to the step's number: what is here, and what happens next. */
export function openWords(path: Pick<Path, "neutral_may_be_chosen">, open: OpenStep, content: StepContent): string {
  const best = great(open, content).length;
  const [lack] = lacks(path, open, content);
  if (open.state === "waiting" && open.completions.length === 0) {
    return open.trouble === null ? "The next step is being written." : "There is no completion here.";
  }
  if (lack === undefined) return chosenWords(best, among(path, open, content).length);
  if (open.state === "first") return "One completion is offered. If it is not great, the others appear.";
  if (open.state === "rest_waiting") return "The others are being written. Rate what is here.";
  if (mustWrite(path, open, content)) return "None is great, so write the step yourself: one new, great idea.";
  if (open.completions.length === 0) return "Nothing is offered here, so write the step.";
  if (countOffered(open.completions) === 1) return "Only one is offered. Rate it.";
  return `${amountWords(open.completions)} Rate every one.`;
}

function chosenWords(best: number, drawn: number): string {
  if (drawn === 0) return "What you wrote becomes the next step.";
  if (drawn === 1) return `The one ${best > 0 ? "great" : "neutral"} completion becomes the next step.`;
  return `The server draws the next step from the ${COUNT_WORDS[drawn] ?? drawn} ${best > 0 ? "great" : "neutral"} ones.`;
}

function amountWords(completions: readonly Rated[]): string {
  const all = countOffered(completions);
  const different = completions.length;
  return all === different ? `${all} in all.` : `${all} in all, ${different} different.`;
}

/** The text for something the step lacks; completions count from 1 on the page. */
export function explainLack({ code, number }: Lack, open: OpenStep | null): string {
  const place = (open?.completions.findIndex((one) => one.number === number) ?? -1) + 1;
  switch (code) {
    case "unrated":
      return place > 0 ? `Completion ${place} is not rated yet.` : "A completion is not rated yet.";
    case "rest_not_seen":
      return "The other completions come first: rate them too.";
    case "human_needed":
    case "human_blank":
      return open?.completions.length === 0 ? "Nothing is offered: write the step." : "None is great: write the step.";
    case "human_not_wanted":
      return "A completion is great, so the next step is drawn, not written.";
    case "repeats_step":
      return "What you wrote repeats the step before it. Write one new idea.";
    default:
      return `The server asks for something this page does not know (${code}). Reload it.`;
  }
}

/** Why the path has ended; empty while it goes on. */
export function endWords({ ended, steps, step_cap }: Path): string {
  if (ended === "final_answer") return "The last step gives the final answer: the path ends here.";
  if (ended === "step_cap")
    return `The path has ${steps.length} steps, and this round allows ${step_cap}: it ends here.`;
  return "";
}
