/** Texts of Home. Pure. */
import type { Forecast, QualityFigure, WaitingThing } from "@/api/homeTypes";
import { doneSaid, formatDay } from "@/ui/forecastWords";
import { countOf, formatCount } from "@/ui/format";

interface Waits {
  title: string;
  says: string;
  /** A path below the project's address. */
  to: string;
  section: string;
}

const named = (thing: WaitingThing) => (thing.name ? `Round ${thing.number} (${thing.name})` : `Round ${thing.number}`);

/** Return one thing that needs a person, with where it is done. */
export function waitsWords(thing: WaitingThing): Waits {
  const { count, name, id } = thing;
  switch (thing.kind) {
    case "failed_round":
      return {
        title: `${named(thing)} has failed`,
        says: "Open it to see why and how to continue.",
        to: `rounds/${id}`,
        section: "Rounds",
      };
    case "ready_round":
      return {
        title: `${named(thing)} is waiting to be published`,
        says: `${countOf(count, "trace")} chosen. Labelers get them once you publish the round.`,
        to: `rounds/${id}`,
        section: "Rounds",
      };
    case "labeled_round":
      return {
        title: `${named(thing)} is labeled`,
        says: "Every task has its labels. Read its report, decide the tasks under Review, then close the round.",
        to: `rounds/${id}`,
        section: "Rounds",
      };
    case "hasty_labeler":
      return {
        title: `${count} of the newest ${thing.of} labels of ${name} ${count === 1 ? "looks" : "look"} hasty`,
        says: `In round ${thing.number}. The list shows all hasty labels. Ask the labeler, leave them out, or have them made again.`,
        to: `labels?why=hasty&labeler=${id}`,
        section: "Labels",
      };
    case "paused_labeler":
      return {
        title: `${name} gets no new tasks`,
        says: "Paused until an admin decides otherwise.",
        to: `labelers/${id}`,
        section: "People",
      };
    case "reviews":
      return {
        title: `${countOf(count, "task")} ${count === 1 ? "waits" : "wait"} for a reviewer`,
        says: "Labels that differ, comments, reports, and tasks sent to review.",
        to: "review",
        section: "Labels",
      };
    case "label_audit":
      return {
        title: `${countOf(count, "label")} to read again blind`,
        says: "An open label audit has labels that you have not reviewed yet.",
        to: `label-audits/${id}`,
        section: "Labels",
      };
    case "audit_to_finish":
      return {
        title: "A label audit is ready to finish",
        says: "When you finish it, its corrections become rulings.",
        to: `label-audits/${id}`,
        section: "Labels",
      };
    case "trained_prm":
      return {
        title: `${name || "A PRM"} is trained and waits for a decision`,
        says: "Compare it with the selector, then promote it or leave things as they are.",
        to: `prms/runs/${id}`,
        section: "Models",
      };
  }
}

/** Return how many decisions wait in each section of the navigation. Home has all of them. */
export function badgesOf(waits: readonly WaitingThing[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const thing of waits) {
    const { section } = waitsWords(thing);
    counts[section] = (counts[section] ?? 0) + 1;
  }
  return waits.length > 0 ? { ...counts, Home: waits.length } : counts;
}

/** "Sat 28 Nov: 15 labels, 7 of them hasty". The server counts hasty ones separately. */
export function dayWords({ day, labels, hasty }: Forecast["by_day"][number]): string {
  const all = labels + hasty;
  const part =
    hasty === 0 ? "" : hasty < all ? `, ${formatCount(hasty)} of them hasty` : all > 1 ? ", all hasty" : ", hasty";
  return `${formatDay(day)}: ${countOf(all, "label")}${part}`;
}

/** Return the page's first line. */
export function homeTitle(forecast: Forecast | undefined, waits: readonly WaitingThing[] | undefined): string {
  if (!waits) return "Home";
  const first = waits[0];
  const rest = waits.length - 1;
  const waiting = first
    ? `${waitsWords(first).title}${rest > 0 ? `, and ${countOf(rest, "more thing")}` : ""}`
    : "Nothing is waiting for you";
  if (!forecast || forecast.labels === 0) return `${waiting}.`;
  const { value } = doneSaid(forecast);
  const done =
    value === "n/a" ? `${countOf(forecast.labels, "label")} to go` : `The open labels will be done on ${value}`;
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
    none: "no trace with labels by two people yet",
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
    of: "labels drawn at random that a blind reviewer confirmed",
    none: "no label checked by a blind reviewer yet",
    unit: "problem",
    to: "label-audits",
    link: "Read more",
  },
};

/** Return the line under the block's title: what the four figures add up to. */
export function qualityVerdict(quality: readonly QualityFigure[]): string {
  const bad = quality.filter((one) => one.word === "bad").map((one) => FIGURES[one.name].name.toLowerCase());
  const good = quality.filter((one) => one.word === "good");
  if (bad.length > 0) return `Look at ${bad.join(" and ")} before you train.`;
  if (good.length === quality.length) return "All rules are met.";
  if (good.length > 0)
    return `${formatCount(good.length)} of ${quality.length} rules are certainly met; none is broken.`;
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
