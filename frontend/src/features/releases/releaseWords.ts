import type { Export } from "@/api/jobTypes";
import type { Release, ReleaseOverlaps, ReleaseQuestion } from "@/api/releaseTypes";
import { countOf, formatDateTime } from "@/ui/format";
import type { StatusTone } from "@/ui/StatusMark";

export const PARTS: { part: ReleaseQuestion["part"]; title: string; note: string }[] = [
  { part: "publication", title: "Publication", note: "What catalogues use to sort data sets." },
  {
    part: "roles",
    title: "Eight roles, kept apart",
    note: "Who and what took part. You may answer “unknown”, but not leave a field blank.",
  },
  { part: "statements", title: "Four statements", note: "What a reader needs before trusting the labels." },
  { part: "datasheet", title: "Datasheet", note: "What Stepmark cannot know from its data." },
];

/** Return the state of a release, as a word with its mark. */
export function stateMark(release: Pick<Release, "state" | "status">): { name: string; tone: StatusTone } {
  if (release.state === "withdrawn") return { name: "withdrawn", tone: "bad" };
  if (release.status === "failed") return { name: "failed", tone: "bad" };
  const busy = release.status === "queued" || release.status === "running";
  if (release.state === "released")
    return busy ? { name: "packing", tone: "busy" } : { name: "released", tone: "good" };
  return busy ? { name: "checking", tone: "busy" } : { name: "draft", tone: "quiet" };
}

/** Return what the contamination check found, as a sentence. */
export function overlapSentence({ problems, exact, near, labels }: ReleaseOverlaps): string {
  if (exact + near === 0) return `None of ${countOf(problems, "problem")} is held out, or near to a held-out one.`;
  const found = [exact > 0 && `${exact} held out`, near > 0 && `${near} near to a held-out one`]
    .filter(Boolean)
    .join(", ");
  return `Of ${countOf(problems, "problem")}: ${found}. They have ${countOf(labels, "label")}.`;
}

/** Return a sentence for each evaluation set whose problems the release offers for training. */
export function measuredSentences({ measured = [] }: Pick<ReleaseOverlaps, "measured">): string[] {
  return measured.map(({ name, problems }) => {
    const are = `${countOf(problems, "problem")} of the evaluation set “${name}” ${problems === 1 ? "is" : "are"}`;
    return `${are} in the training data of this release. A model trained on it cannot be measured on that set.`;
  });
}

/** Return a verdict as text, counting steps from 1. */
export function saidWords(reason: string | null, verdict: number | null): string {
  if (reason === null) return "–";
  if (verdict === null) return reason === "give_up" ? "gave up" : "bad problem";
  return verdict === -1 ? "no error" : `step ${verdict + 1}`;
}

/** Return the questions that have no answer yet. */
export function blankOnes(release: Release): string[] {
  return release.questions.filter(({ answer }) => answer.trim() === "").map(({ title }) => title);
}

const SALTED = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/;

/** Return the beginning of a salted id; a name given by an import is returned whole. */
export function shortLabeler(labeler: string): string {
  return SALTED.test(labeler) ? labeler.slice(0, 8) : labeler;
}

/** Return what tells an export from others: its format (`title`), its container, how much it contains, and of what. */
export function exportWords(
  { id, format, config, rows, progress, created_at, status }: Export,
  title: string | undefined,
): string {
  const container = config.container === "parquet" ? "Parquet" : config.gzip ? "JSON lines, gzip" : "JSON lines";
  const { rounds, finish, split } = config.filters ?? {};
  const kept = [
    rounds?.length && `of ${countOf(rounds.length, "chosen round")}`,
    finish?.length && finish.map((one) => one.replaceAll("_", " ")).join(" or "),
    split && (split === "held_out" ? "only held out" : "without held out"),
  ].filter(Boolean);
  const done = status === "succeeded";
  const held = done ? `${countOf(rows, "row")} of ${countOf(progress.labels_total, "label")}` : "not written yet";
  return [
    `Export ${id}: ${title ?? format}`,
    container,
    held,
    kept.join(", ") || "all rounds",
    formatDateTime(created_at),
  ].join(" · ");
}
