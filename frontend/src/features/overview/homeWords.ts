/** What Home says in words. Pure. */
import type { Forecast, QualityFigure, WaitingThing } from "@/api/homeTypes";
import { doneSaid, formatDay } from "@/ui/forecastWords";
import { countOf, formatCount } from "@/ui/format";

interface Waits {
  title: string;
  says: string;
  /** Under the project's address. */
  to: string;
  section: string;
}

const named = (thing: WaitingThing) => (thing.name ? `Round ${thing.number} (${thing.name})` : `Round ${thing.number}`);

/** One thing that needs a person, with where it is done. */
export function waitsWords(thing: WaitingThing): Waits {
  const { count, name, id } = thing;
  switch (thing.kind) {
    case "failed_round":
      return {
        title: `${named(thing)} has failed`,
        says: "Its page says why, and how it goes on.",
        to: `rounds/${id}`,
        section: "Rounds",
      };
    case "ready_round":
      return {
        title: `${named(thing)} waits to be published`,
        says: `${countOf(count, "trace")} chosen. Nobody gets one before you publish it.`,
        to: `rounds/${id}`,
        section: "Rounds",
      };
    case "labeled_round":
      return {
        title: `${named(thing)} is labeled`,
        says: "Every task has its labels. Look at its report, decide what waits under Review, then close it.",
        to: `rounds/${id}`,
        section: "Rounds",
      };
    case "hasty_labeler":
      return {
        title: `${count} of the newest ${thing.of} labels of ${name} look hasty`,
        says: `In round ${thing.number}; the list shows all that do. Ask, leave them out, or have them made again.`,
        to: `labels?why=hasty&labeler=${id}`,
        section: "Labels",
      };
    case "paused_labeler":
      return {
        title: `${name} gets no new tasks`,
        says: "Paused, until somebody says otherwise.",
        to: `labelers/${id}`,
        section: "People",
      };
    case "reviews":
      return {
        title: `${countOf(count, "task")} ${count === 1 ? "waits" : "wait"} for a reviewer`,
        says: "Labels that differ, comments, reports, and what was sent there.",
        to: "review",
        section: "Labels",
      };
    case "label_audit":
      return {
        title: `${countOf(count, "label")} to read again blind`,
        says: "An open label audit has some that you have not labeled.",
        to: `label-audits/${id}`,
        section: "Labels",
      };
    case "audit_to_finish":
      return {
        title: "A label audit is read",
        says: "Finishing it makes its corrections rulings.",
        to: `label-audits/${id}`,
        section: "Labels",
      };
    case "trained_prm":
      return {
        title: `${name || "A PRM"} is trained; nobody has decided about it`,
        says: "Compare it with the selector, then promote it or leave it.",
        to: `prms/runs/${id}`,
        section: "Models",
      };
  }
}

/** By section of the navigation how many decisions wait there; Home has all of them. */
export function badgesOf(waits: readonly WaitingThing[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const thing of waits) {
    const { section } = waitsWords(thing);
    counts[section] = (counts[section] ?? 0) + 1;
  }
  return waits.length > 0 ? { ...counts, Home: waits.length } : counts;
}

/** "Sat 28 Nov: 15 labels, 7 of them hasty"; the server counts those apart. */
export function dayWords({ day, labels, hasty }: Forecast["by_day"][number]): string {
  const all = labels + hasty;
  const part =
    hasty === 0 ? "" : hasty < all ? `, ${formatCount(hasty)} of them hasty` : all > 1 ? ", all hasty" : ", hasty";
  return `${formatDay(day)}: ${countOf(all, "label")}${part}`;
}

/** The page's first line. */
export function homeTitle(forecast: Forecast | undefined, waits: readonly WaitingThing[] | undefined): string {
  if (!waits) return "Home";
  const first = waits[0];
  const rest = waits.length - 1;
  const waiting = first
    ? `${waitsWords(first).title}${rest > 0 ? `, and ${countOf(rest, "thing")} more` : ""}`
    : "Nothing waits for you";
  if (!forecast || forecast.labels === 0) return `${waiting}.`;
  const { value } = doneSaid(forecast);
  const done = value === "n/a" ? `${countOf(forecast.labels, "label")} to go` : `The open labels are done on ${value}`;
  return `${done}. ${waiting}.`;
}

export const FIGURES: Record<
  QualityFigure["name"],
  { name: string; of: string; none: string; unit: string; to: string; link: string }
> = {
  gold: {
    name: "Gold",
    of: "answers to hidden gold as expected",
    none: "no hidden gold answered yet",
    unit: "gold trace",
    to: "labels?kind=gold",
    link: "Labels of gold",
  },
  agreement: {
    name: "Agreement",
    of: "pairs of labels of one trace with the same first error",
    none: "no trace with labels of two people yet",
    unit: "problem",
    to: "labels?agreement=differs",
    link: "Those that differ",
  },
  hasty: {
    name: "Hasty",
    of: "labels below the minimum time per step",
    none: "no timed labels yet",
    unit: "label",
    to: "labels?why=hasty",
    link: "Those labels",
  },
  audit: {
    name: "Audit",
    of: "labels drawn at random that a blind reviewer left as they were",
    none: "no label read by a blind reviewer yet",
    unit: "problem",
    to: "label-audits",
    link: "Read more",
  },
};

/** The line under the block's name: what the four figures come to. */
export function qualityVerdict(quality: readonly QualityFigure[]): string {
  const bad = quality.filter((one) => one.word === "bad").map((one) => FIGURES[one.name].name.toLowerCase());
  const good = quality.filter((one) => one.word === "good");
  if (bad.length > 0) return `Look at ${bad.join(" and ")} before you train.`;
  if (good.length === quality.length) return "All rules are met.";
  if (good.length > 0)
    return `Nothing speaks against them; ${formatCount(good.length)} of ${quality.length} rules are certainly met.`;
  return "Too early to tell.";
}

/** "gold at least 80 %, hasty at most 5 %" */
export function rulesWords(quality: readonly QualityFigure[]): string {
  return quality
    .map(
      ({ name, limit, most }) =>
        `${FIGURES[name].name.toLowerCase()} at ${most ? "most" : "least"} ${Math.round(limit * 100)} %`,
    )
    .join(", ");
}
