/** Texts of a problem's page. Pure. */
import type { ProblemTree, TraceDetail, TreeAnswer, TreeBranch, TreeOutcomes, TreeStep } from "@/api/projectTypes";
import type { Uncertain } from "@/ui/charts/estimateWords";
import { countOf, formatCount, formatPercent } from "@/ui/format";
import { formatStepScore, type Scale } from "@/ui/trace/score";
import { ratingSign, stepName } from "@/ui/trace/words";
import type { Forest, TreeNode } from "./treeRows";

/** Return the page's first line: what the traces do. */
export function headline(tree: ProblemTree, { tops }: Forest): string {
  if (tree.shown === 0) return "No traces of this problem yet";
  if (tree.shown === 1) return "One trace: nothing to compare";
  const traces = countOf(tree.shown, "trace");
  if (tops.length > 1) return `${traces} begin in ${formatCount(tops.length)} ways`;
  const end = tops[0] ? tops[0].branch.start + tops[0].branch.length : 0;
  return `${traces} share ${end === 1 ? "their first step" : `their first ${formatCount(end)} steps`}`;
}

/** "62 % right"; without a share, "right" or "wrong"; without a graded trace, "not graded". */
export function rightWords(share: Uncertain | null, outcomes: TreeOutcomes): string {
  const graded = outcomes.correct + outcomes.wrong;
  if (graded === 0) return "not graded";
  if (!share) return outcomes.correct > 0 ? "right" : "wrong";
  return `${formatPercent(outcomes.correct, graded)} right`;
}

/** "55 to 69", or "n/a (3 graded)". */
export function intervalWords(share: Uncertain | null, outcomes: TreeOutcomes): string {
  const graded = outcomes.correct + outcomes.wrong;
  if (!share || graded === 0) return "";
  if (share.low === null || share.high === null) return `n/a (${formatCount(graded)} graded)`;
  return `${Math.round(share.low * 100)} to ${Math.round(share.high * 100)}`;
}

/** "612 right, 380 wrong, 8 not graded", leaving out zero counts. */
export function outcomeWords({ correct, wrong, ungraded }: TreeOutcomes): string {
  const parts = [
    [correct, "right"],
    [wrong, "wrong"],
    [ungraded, "not graded"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${formatCount(count)} ${word}`)
    .join(", ");
}

/** "Step 3", "Steps 3 to 5". */
export function placeWords({ start, length }: Pick<TreeBranch, "start" | "length">): string {
  if (length === 1) return `Step ${start + 1}`;
  return `Steps ${start + 1} to ${start + length}`;
}

/** Return the text for branches not in sight: "412 more branches, 430 traces: 213 right, 217 wrong". */
export function restWords(hidden: readonly TreeNode[]): string {
  const sum = { correct: 0, wrong: 0, ungraded: 0 };
  let traces = 0;
  for (const { branch } of hidden) {
    traces += branch.traces;
    sum.correct += branch.outcomes.correct;
    sum.wrong += branch.outcomes.wrong;
    sum.ungraded += branch.outcomes.ungraded;
  }
  return `${countOf(hidden.length, "more branch", "more branches")}, ${countOf(traces, "trace")}: ${outcomeWords(sum)}`;
}

export function answerWords(answer: string | null): string {
  return answer === null ? "no answer" : answer;
}

type ChipTone = "plus" | "zero" | "minus" | "quiet";

export interface Chip {
  tone: ChipTone;
  words: string;
}

/** Return what is said about a step: first by people, then by each source of machine labels, then rollouts. */
export function chipsOf(steps: readonly TreeStep[], tree: Pick<ProblemTree, "sources">): Chip[] {
  const named = new Map(tree.sources.map(({ id, name }) => [id, name]));
  return [...peopleChips(steps), ...sourceChips(steps, named), ...rolloutChips(steps.at(-1), named)];
}

/** Return the same for a line of the tree: sources only if they judge a step wrong, rollouts as a fraction. */
export function briefChips(steps: readonly TreeStep[], tree: Pick<ProblemTree, "sources">): Chip[] {
  const named = new Map(tree.sources.map(({ id, name }) => [id, name]));
  const wrong = sourceChips(steps, named).filter(({ tone }) => tone === "minus");
  const hits = (steps.at(-1)?.rollouts ?? []).map(({ source, hits, n }): Chip => {
    return { tone: "quiet", words: `${named.get(source) ?? "rollouts"} ${formatCount(hits)}/${formatCount(n)}` };
  });
  return [...peopleChips(steps), ...wrong, ...hits];
}

function peopleChips(steps: readonly TreeStep[]): Chip[] {
  const sum = (name: keyof TreeStep["people"]) => steps.reduce((total, step) => total + step.people[name], 0);
  const rated = (tone: ChipTone, rating: number, count: number): Chip => ({
    tone,
    words: `people ${ratingSign(rating)}${count > 1 ? ` × ${formatCount(count)}` : ""}`,
  });
  const chips: Chip[] = [];
  const { negative, neutral, positive, first_errors } = {
    negative: sum("negative"),
    neutral: sum("neutral"),
    positive: sum("positive"),
    first_errors: sum("first_errors"),
  };
  if (negative) chips.push(rated("minus", -1, negative));
  if (neutral) chips.push(rated("zero", 0, neutral));
  if (positive) chips.push(rated("plus", 1, positive));
  if (first_errors) chips.push({ tone: "minus", words: `first error${first_errors > 1 ? ` × ${first_errors}` : ""}` });
  return chips;
}

function sourceChips(steps: readonly TreeStep[], named: Map<number, string>): Chip[] {
  const said = new Map<number | null, { right: number; wrong: number }>();
  for (const { source, right, wrong } of steps.flatMap((step) => step.sources)) {
    const before = said.get(source) ?? { right: 0, wrong: 0 };
    said.set(source, { right: before.right + right, wrong: before.wrong + wrong });
  }
  return [...said].map(([source, { right, wrong }]) => {
    const name = source === null ? "the file" : (named.get(source) ?? "a source");
    const parts = [wrong && `${formatCount(wrong)} wrong`, right && `${formatCount(right)} right`].filter(Boolean);
    return { tone: wrong ? "minus" : "quiet", words: `${name}: ${parts.join(", ")}` };
  });
}

function rolloutChips(last: TreeStep | undefined, named: Map<number, string>): Chip[] {
  return (last?.rollouts ?? []).map(({ source, hits, n }) => ({
    tone: "quiet",
    words: `${named.get(source) ?? "rollouts"}: ${formatCount(hits)} of ${formatCount(n)} rollouts right`,
  }));
}

export function disputeWords(step: TreeStep): string {
  if (step.dispute === "people") return `People differ at ${stepName(step.place)}`;
  return step.dispute === "people_and_sources" ? `People and another source differ at ${stepName(step.place)}` : "";
}

export function spreadWords(score: { mean: number; least: number; n: number }, scale: Scale): string {
  const mean = formatStepScore(score.mean, scale);
  return score.n === 1 ? mean : `${mean}, lowest ${formatStepScore(score.least, scale)}`;
}

/** A step of a branch or of a single trace, with what is known about it. */
export interface ToldStep {
  place: number;
  text: string;
  /** The text is cut off. */
  cut: boolean;
  score: string;
  chips: Chip[];
  dispute: string;
}

const CUT = 500;

export function toldOfBranch({ steps }: TreeBranch, tree: ProblemTree): ToldStep[] {
  return steps.map((step) => ({
    place: step.place,
    text: step.text,
    cut: step.text.length >= CUT,
    score: step.score ? spreadWords(step.score, tree.scorer?.scale ?? "") : "",
    chips: chipsOf([step], tree),
    dispute: disputeWords(step),
  }));
}

/**
 * Return a trace's own steps from `start` on: the score by the scorer in view, and what each label and the file say.
 */
export function toldOfTrace(trace: TraceDetail, scorer: number | null, start: number): ToldStep[] {
  const scores = trace.scores.find(({ prm }) => prm.id === scorer);
  const labels = trace.tasks.flatMap((task) => task.labels).filter((label) => label.status !== "superseded");
  return trace.steps.slice(start).map((text, index) => {
    const place = start + index;
    const score = scores?.steps?.[place];
    const chips: Chip[] = labels
      .filter((label) => (label.ratings[place] ?? null) !== null)
      .map((label) => ({
        tone: toneOf(label.ratings[place]),
        words: `${label.labeler.display_name} ${ratingSign(label.ratings[place])}${label.verdict === place ? ", first error" : ""}`,
      }));
    const inFile = trace.recorded_ratings?.[place] ?? null;
    if (inFile !== null) chips.push({ tone: toneOf(inFile), words: `the file ${ratingSign(inFile)}` });
    if (trace.recorded_first_error === place) chips.push({ tone: "minus", words: "the file: first error" });
    return {
      place,
      text,
      cut: false,
      score: score === undefined || !scores ? "" : formatStepScore(score, scores.scale),
      chips,
      dispute:
        new Set(labels.map((label) => label.ratings[place] ?? null).filter((one) => one !== null)).size > 1
          ? `People differ at ${stepName(place)}`
          : "",
    };
  });
}

function toneOf(rating: number | null | undefined): ChipTone {
  return rating === -1 ? "minus" : rating === 1 ? "plus" : "zero";
}

/** Return all right answers and the most common of the others, six in total or more. They are already in this order. */
export function listedAnswers(answers: readonly TreeAnswer[]): TreeAnswer[] {
  return answers.slice(0, Math.max(6, answers.filter(({ outcomes }) => outcomes.correct > 0).length));
}

/** Return a branch's traces by the answers of the whole tree, the most common first. */
export function answersWithin(
  ids: readonly number[],
  answers: readonly TreeAnswer[],
): { words: string; ids: number[] }[] {
  const within = new Set(ids);
  const groups = answers.map(({ answer, traces }) => ({
    words: answerWords(answer),
    ids: traces.filter((id) => within.delete(id)),
  }));
  return [...groups, { words: "other answers", ids: [...within] }]
    .filter((group) => group.ids.length > 0)
    .sort((one, other) => other.ids.length - one.ids.length);
}

/** "They share 3 steps and part at step 4.", as far as that is known. */
export function partWords(shared: number | null, lengths: readonly [number, number]): string {
  if (shared === null) return "One of them is not in the tree, so it is not known where they part.";
  if (shared === 0) return "They share no steps.";
  const shorter = Math.min(...lengths);
  if (shared >= shorter && lengths[0] !== lengths[1])
    return `One ends after ${stepName(shared - 1)}; the other goes on.`;
  if (shared >= shorter) return "Their steps differ only in spelling.";
  return `They share ${countOf(shared, "step")} and part at ${stepName(shared)}.`;
}
