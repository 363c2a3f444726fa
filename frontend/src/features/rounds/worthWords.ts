/** Texts about what a round's choice was worth in random labels. Pure. */
import type { RoundFigures } from "@/api/roundTypes";
import { intervalPart } from "@/ui/charts/estimateWords";
import { countOf, formatCount } from "@/ui/format";

export type Worth = NonNullable<RoundFigures["worth"]>;

const SILENCE: Record<NonNullable<Worth["because"]>, string> = {
  not_trained: "no head has learned from this round yet. A training measures it along the way",
  older_training: "the training that learned from this round predates this measurement. The next one will measure it",
  no_random: "the training had too few labels of randomly drawn traces to compare with",
  not_newest: "a training measures only its ten newest rounds, and none ran while this one was among them",
  none_learned: "the training learned from none of them",
  few_random: "there are too few labels of randomly drawn traces to teach as much",
  few_problems: "it is measured on too few problems",
  wide: "its interval is too wide to be useful",
};

const whole = (value: number) => formatCount(Math.round(value)).replace("-", "−");

/** "These 300 chosen labels taught as much as about 420 random ones would have (95 %: 310 to 640)." */
export function worthWords({ labels, worth, because, at_least }: Worth): string {
  const these = labels === null ? "the labels that the round chose" : `these ${countOf(labels, "chosen label")}`;
  if (worth?.value != null && worth.high !== null) {
    const ends = intervalPart(worth, whole);
    if (worth.high <= 0) return `${capital(these)} taught less than none (${ends} random ones).`;
    return `${capital(these)} taught as much as about ${countOf(Math.max(0, Math.round(worth.value)), "random one")} would have (${ends}).`;
  }
  const why = because === null ? "" : `, because ${SILENCE[because]}`;
  const least = at_least === null ? "" : ` At least ${whole(at_least)}, though.`;
  return `How many random labels ${these} were worth is not known${why}.${least}`;
}

/** Return what this means for choosing the next round's rules; empty if the interval allows both. */
export function worthVerdict({ labels, worth, at_least }: Worth): string {
  if (labels === null) return "";
  const low = worth?.low ?? at_least;
  if (low != null && low > labels) return "Choosing paid: each was worth more than a random label.";
  if (worth?.high != null && worth.high < labels) return "Random labels would have taught more.";
  return worth?.value == null
    ? ""
    : "It is unclear whether choosing paid: the interval includes one random label for each chosen one.";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
