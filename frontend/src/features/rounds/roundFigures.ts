/** Texts about a round's figures, and about two rounds compared. Pure. */
import type { ComparedRounds, RoundFigures } from "@/api/roundTypes";
import { intervalPart, signed, type Uncertain, withInterval } from "@/ui/charts/estimateWords";
import type { RuledShare } from "@/ui/charts/RuledShares";
import { countOf, formatCount, formatDuration } from "@/ui/format";

export type FigureName = RoundFigures["figures"][number]["name"];
export type ComparedFigure = ComparedRounds["rows"][number];

export const FIGURE_WORDS: Record<FigureName, { name: string; means: string }> = {
  errors_found: {
    name: "Errors found",
    means: "Labeled traces in which labelers found an error. A trace counts as soon as it has one label.",
  },
  yield: { name: "Yield", means: "The same for traces with a wrong answer, which the choice is meant to find." },
  bad_problem: { name: "Bad problems", means: "Labels that report the problem itself." },
  give_up: { name: "Gave up", means: "Labels that judge nothing." },
  minutes_per_trace: {
    name: "Time per trace",
    means:
      "All active time in the round, divided by the traces with a label that counts. It includes extra labels and labels left out.",
  },
  minutes_per_step: { name: "Time per step", means: "The same per rated step." },
  minutes_per_error: {
    name: "Time per error",
    means: "The same per confirmed error: the price of what is learned.",
  },
  gold: { name: "Gold", means: "Hidden gold of the round, answered as expected." },
  agreement: { name: "Agreement", means: "Pairs of labels of one trace with the same first error." },
  hasty: { name: "Hasty", means: "Labels below the minimum time per step." },
  read_twice: { name: "Read twice", means: "Labeled traces with two or more labels." },
};

export const GROUPS: Record<ComparedFigure["group"], string> = {
  found: "What it found",
  cost: "What it cost",
  trust: "How far to trust it",
};

export const percent = (value: number) => `${Math.round(value * 100)} %`;
const minutes = (value: number) => formatDuration(value * 60_000);

function figureOf(figures: RoundFigures["figures"], name: FigureName): Uncertain & { n: number } {
  return figures.find((one) => one.name === name)?.estimate ?? { value: null, low: null, high: null, n: 0 };
}

/** "34 of 57" */
function countedOf({ value, n }: { value: number | null; n: number }): string {
  return `${formatCount(Math.round((value ?? 0) * n))} of ${formatCount(n)}`;
}

/** Return the round in one sentence: what it found, and at what price. */
export function headline({ figures }: Pick<RoundFigures, "figures">): string {
  const errors = figureOf(figures, "errors_found");
  if (errors.value === null) return "None of its traces has been labeled yet.";
  const interval = intervalPart(errors, percent);
  const found = `Labelers found an error in ${countedOf(errors)} labeled traces (${percent(errors.value)}${interval && `, ${interval}`})`;
  const per = figureOf(figures, "minutes_per_trace");
  const price = figureOf(figures, "minutes_per_error");
  if (per.value === null) return `${found}.`;
  return `${found}, at ${minutes(per.value)} a trace${price.value === null ? "" : ` and ${minutes(price.value)} an error`}.`;
}

/** The same for a round of paths, in which nobody looks for an error. */
export function pathHeadline({ figures }: Pick<RoundFigures, "figures">): string {
  const { n } = figureOf(figures, "errors_found"); // counts every labeled trace, and so every path
  const per = figureOf(figures, "minutes_per_trace");
  if (n === 0) return "None of its paths has been finished yet.";
  return `Labelers finished ${countOf(n, "path")}${per.value === null ? "" : `, at ${minutes(per.value)} a path`}.`;
}

/** The figures of trust that a round of paths has: each path is a trace of its own, with one label. */
export const PATH_TRUST: readonly FigureName[] = ["hasty", "gold"];

/** Return what speaks against the round's labels; otherwise, how much is known. */
export function trustWords({ trust }: Pick<RoundFigures, "trust">): string {
  const names = (word: string) =>
    trust.filter((one) => one.word === word).map((one) => FIGURE_WORDS[one.name as FigureName].name.toLowerCase());
  if (names("bad").length > 0) return `Look at ${names("bad").join(" and ")} before you train on it.`;
  const good = names("good").length;
  if (good === trust.length) return "All rules are met.";
  return good === 0 ? "Too early to tell." : `${good} of ${trust.length} rules are certainly met; none is broken.`;
}

const LINKS: Partial<Record<FigureName, { filter: string; link: string; of: string; none: string; unit: string }>> = {
  hasty: {
    filter: "why=hasty",
    link: "Those labels",
    of: "labels below the minimum time per step",
    none: "no timed labels yet",
    unit: "label",
  },
  gold: {
    filter: "kind=gold",
    link: "Labels of gold",
    of: "answers to hidden gold as expected",
    none: "no hidden gold answered yet",
    unit: "gold trace",
  },
  agreement: {
    filter: "agreement=differs",
    link: "Those that differ",
    of: "pairs of labels of one trace with the same first error",
    none: "no trace with two labels yet",
    unit: "problem",
  },
  read_twice: {
    filter: "agreement=alone",
    link: "Those read once",
    of: "labeled traces with two or more labels",
    none: "no labeled trace yet",
    unit: "problem",
  },
};

/** Return the rows of the trust strip, each with a link to its labels. The share read twice has no rule. */
export function trustRows(
  slug: string,
  round: number,
  { figures, trust }: RoundFigures,
  names: readonly FigureName[] = ["hasty", "gold", "agreement", "read_twice"],
): RuledShare[] {
  return names.flatMap((key) => {
    const share = figureOf(figures, key);
    const ruled = trust.find((one) => one.name === key);
    const words = LINKS[key];
    if (!words) return [];
    return [
      {
        key,
        name: FIGURE_WORDS[key].name,
        word: ruled?.word ?? null,
        limit: ruled?.limit ?? null,
        says: share.value === null ? words.none : `${countedOf(share)} ${words.of}`,
        share,
        unit: words.unit,
        to: `/projects/${slug}/labels?round=${round}&${words.filter}`,
        link: words.link,
      },
    ];
  });
}

/** "17 %, 95 %: 5 % to 40 %", "1 min 2 s" */
export function valueWords(figure: Uncertain, isShare: boolean): string {
  return withInterval(figure, isShare ? percent : minutes);
}

/** "+12 points, 95 %: −3 to +27", "−14 s" */
export function apartWords(apart: Uncertain, isShare: boolean): string {
  if (apart.value === null) return "n/a";
  const points = (value: number) => signed(value * 100, 0);
  const time = (value: number) => `${value < 0 ? "−" : value > 0 ? "+" : ""}${minutes(Math.abs(value))}`;
  const interval = intervalPart(apart, isShare ? points : time);
  const value = isShare ? `${points(apart.value)} points` : time(apart.value);
  return interval ? `${value}, ${interval}` : value;
}

/** Return how the other round compares with this one, counted over all figures. */
export function comparedWords(rows: readonly ComparedFigure[], one: string, other: string): string {
  const count = (mark: ComparedFigure["mark"]) => rows.filter((row) => row.mark === mark).length;
  const parts = [
    count("better") > 0 && `better in ${count("better")}`,
    count("worse") > 0 && `worse in ${count("worse")}`,
    count("differs") > 0 && `differs in ${count("differs")}`,
    count("cannot_tell") > 0 && `cannot be told in ${count("cannot_tell")}`,
    count("not_known") > 0 && `n/a in ${count("not_known")}`,
  ].filter(Boolean);
  return `${other} against ${one}: ${parts.join(", ")} of ${countOf(rows.length, "figure")}.`;
}
