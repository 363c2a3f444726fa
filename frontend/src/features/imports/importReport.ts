import type { ImportJob, ImportReport, JobStatus } from "@/api/jobTypes";
import { faultsAsText } from "@/ui/faultWords";
import { countOf, formatCount } from "@/ui/format";

const SHOWN_OF_TEXT = 60;

export function isOver(status: JobStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "cancelled";
}

/** Return the report, or null for a job that has not finished reading. */
export function reportOf(job: ImportJob): ImportReport | null {
  return job.report && "faults" in job.report ? job.report : null;
}

/** Return what a dry run found, in a word; null for any other job. */
export function checkedState(job: ImportJob): { tone: "good" | "held" | "bad"; name: string } | null {
  const report = reportOf(job);
  if (!job.dry_run || job.status !== "succeeded" || !report) return null;
  if (report.faults.total === 0) return { tone: "good", name: "clean" };
  const read = report.traces.new + report.traces.known + report.problems.new + report.problems.known;
  return read > 0 ? { tone: "held", name: "has faults" } : { tone: "bad", name: "nothing readable" };
}

/** Return whether the columns must be named, or were: the first rows are there, and no format recognised them. */
export function wantsMapping(job: ImportJob): boolean {
  const report = reportOf(job);
  if (!job.can_map || !report || report.imported) return false;
  return job.format === "columns" || report.traces.new + report.traces.known === 0;
}

/** Return what to show instead of a format for a job that has none. */
export function unknownFormat(job: ImportJob): string {
  return isOver(job.status) ? "not recognised" : "being detected";
}

/** Return what the import did, or would do, in one sentence. */
export function outcomeSentence(job: ImportJob): string {
  const report = reportOf(job);
  if (job.status === "cancelled") return "The import was cancelled. Nothing was imported.";
  if (!report) return job.error || "The import did not finish. Nothing was imported.";
  const { traces, problems, labels, verdicts, gold } = report;
  const parts = [
    [traces.new, "new trace"] as const,
    [problems.new, "new problem"] as const,
    [problems.filled ?? 0, "completed problem"] as const,
    [problems.held_out ?? 0, "newly held-out problem"] as const,
    [labels.new, "label"] as const,
    [verdicts?.new ?? 0, "second opinion"] as const,
    [gold?.new ?? 0, "gold item"] as const,
    [(report.marks ?? []).reduce((sum, { new: count }) => sum + count, 0), "marked trace"] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, one]) => countOf(count, one));
  const list = parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : (parts[0] ?? "nothing new");
  const faulty = report.faults.total;
  if (report.imported) return `Imported ${list}${faulty > 0 ? `; ${countOf(faulty, "fault")} skipped` : ""}.`;
  if (!job.dry_run) return job.error || `Nothing was imported: ${countOf(faulty, "fault")} found.`;
  if (report.faults.kinds.some(({ kind }) => kind === "unknown_columns"))
    return "No format matches these rows. Choose below what each column holds.";
  if (parts.length === 0 && report.traces.known + report.problems.known === 0)
    return `Nothing in this file can be imported: ${countOf(faulty, "fault")} found.`;
  if (faulty === 0) return `The file is clean. Importing it would add ${list}.`;
  return `${countOf(faulty, "fault")} found. Without the faulty rows, importing it would add ${list}.`;
}

/** "29 rows repeat": if a trace occurs five times, four of its rows repeat it. */
function repeating(rows: number): string {
  return `${countOf(rows, "row")} ${rows === 1 ? "repeats" : "repeat"}`;
}

/** Return what was here already, or more than once in the file; empty if neither applies. */
export function knownSentence(report: ImportReport): string {
  const parts = [
    report.traces.duplicate_in_file > 0 && `${repeating(report.traces.duplicate_in_file)} a trace of the file`,
    report.traces.known > 0 && `${countOf(report.traces.known, "trace")} already known`,
    report.problems.known > 0 && `${countOf(report.problems.known, "problem")} already known`,
    (report.gold?.known ?? 0) > 0 && `${countOf(report.gold?.known ?? 0, "trace")} already gold`,
    (report.verdicts?.known ?? 0) > 0 && `${countOf(report.verdicts?.known ?? 0, "second opinion")} already known`,
    report.labels.duplicate_in_file > 0 && `${repeating(report.labels.duplicate_in_file)} a label of the file`,
    report.labels.known > 0 && `${countOf(report.labels.known, "label")} already known`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? `${parts.join(", ")}. These are counted, but not imported again.` : "";
}

/** Return what to know besides the counts: benchmarks, what was said about known traces, rows that made no label. */
export function remarks(job: ImportJob): string[] {
  const report = reportOf(job);
  if (!report) return [];
  const filled = report.verdicts?.filled ?? 0;
  const silent = report.without_label ?? 0;
  return [
    ...(report.marks ?? []).map((marks) => marksSentence(marks)),
    ...(report.benchmarks ?? []).map((met) => benchmarkSentence(met, job)),
    filledSentence(report),
    heldOutSentence(report),
    otherAnswersSentence(report),
    otherProblemsSentence(report),
    otherWordsSentence("final answer", report.other_final_answers, report),
    otherWordsSentence("source", report.other_sources, report),
    recordedSentence(job, report),
    filled > 0 && `${countOf(filled, "trace")} without a verdict now ${filled === 1 ? "has" : "have"} one.`,
    redactedSentence(report),
    silent > 0 && `${countOf(silent, "row")} made no label: whether and where the trace goes wrong is not given.`,
  ].filter((sentence) => sentence !== false);
}

/** Return what was removed from agents' runs before they were stored. If nothing was found, says that the check ran. */
function redactedSentence({ redacted }: ImportReport): string | false {
  if (!redacted) return false;
  const found = Object.entries(redacted).sort(([one], [other]) => one.localeCompare(other));
  if (found.length === 0) return "The runs were searched for keys, tokens and addresses. None were found.";
  const named = found.map(([kind, count]) => `${formatCount(count)} × ${kind}`).join(", ");
  return `Removed from the runs before they were stored: ${named}.`;
}

/** Known problems that got missing values from a row. */
function filledSentence({ problems, imported }: ImportReport): string | false {
  const count = problems.filled ?? 0;
  if (count === 0) return false;
  const got = imported ? "got" : "would get";
  return `${countOf(count, "known problem")} ${got} missing values from the file: right answer, solution, id, subject, level, source or licence. The next grading uses new right answers for existing traces.`;
}

/** Known problems that a row moves out of the train split. */
function heldOutSentence({ problems, imported }: ImportReport): string | false {
  const count = problems.held_out ?? 0;
  if (count === 0) return false;
  const are = count === 1 ? "is" : "are";
  return `${countOf(count, "known problem")} from the train split ${imported ? `${are} now` : "would be"} held out, because a row says so. Rounds that are not published yet lose ${count === 1 ? "its" : "their"} traces.`;
}

/** What rows say about a known trace that is not kept. */
function otherWordsSentence(
  what: string,
  other: ImportReport["other_final_answers"],
  { imported }: ImportReport,
): string | false {
  const first = other?.examples[0];
  if (!other || !first) return false;
  const kept = first.kept ? `“${first.kept}”` : "none";
  const rows = other.rows === 1 ? "A row gives" : `${formatCount(other.rows)} rows give`;
  return `${rows} a different ${what} from the one the trace ${imported ? "has" : "would have"} (line ${formatCount(first.line)}: “${first.given}”, kept: ${kept}). The trace stays as it is.`;
}

/** Right answers that are not used for grading, because the problem was known with another answer. */
function otherAnswersSentence({ other_answers: other, imported }: ImportReport): string | false {
  const first = other?.examples[0];
  if (!other || !first) return false;
  const kept = first.kept === null ? "none" : `“${first.kept}”`;
  const rows = other.problems === 1 ? "A row gives" : `${formatCount(other.problems)} rows give`;
  return `${rows} a different right answer from the one the problem ${imported ? "has" : "would have"} (line ${formatCount(first.line)}: “${first.given}”, kept: ${kept}). The problem keeps its answer. A trace keeps the outcome that its file recorded until the next grading, which uses the kept answer. To accept both, give “ground_truth_answers” in the problem’s first row, or accept the answer in a review.`;
}

/** Ids that now name several problems. Nothing is refused because of them. */
function otherProblemsSentence({ other_problems: other, imported }: ImportReport): string | false {
  if (!other) return false;
  const [problems, has] = other.problems === 1 ? ["A problem", "has"] : [countOf(other.problems, "problem"), "have"];
  const lines = other.examples.map(
    ({ line, problem_id, kept, given }) =>
      `line ${formatCount(line)}: “${problem_id}” is “${shortened(given)}” here, and “${shortened(kept)}” before`,
  );
  const more = other.problems > lines.length ? "; …" : "";
  return `${problems} in the file ${has} an id that names another problem, in the project or in an earlier row (${lines.join("; ")}${more}). In exports, such an id ${imported ? "names both" : "would name both"}. To tell the problems apart, give each its own id.`;
}

function shortened(text: string): string {
  return text.length > SHOWN_OF_TEXT ? `${text.slice(0, SHOWN_OF_TEXT)}…` : text;
}

/** Ratings that stay with their traces, and how they become labels. */
function recordedSentence(job: ImportJob, { recorded = 0, imported }: ImportReport): string | false {
  if (recorded === 0) return false;
  const said = `${countOf(recorded, "row")} with recorded ratings. The ratings ${imported ? "stay" : "would stay"} with their traces`;
  const how = "“Make labels of recorded ratings” turns them into labels, “Marks by” into a machine’s scores";
  return `${said}. ${how}.${imported ? " Import the file again with either." : job.can_map ? "" : " Both are under Import a file."}`;
}

function marksSentence({ source, known, differing }: NonNullable<ImportReport["marks"]>[number]): string {
  const others = differing > 0 ? `; ${formatCount(differing)} of them differ, and the first marks stay` : "";
  const before = known > 0 ? ` ${countOf(known, "trace")} already had marks by it${others}.` : "";
  return `What the rows say about steps are marks by ${source}: scores with that name, not labels.${before}`;
}

function benchmarkSentence(benchmark: NonNullable<ImportReport["benchmarks"]>[number], job: ImportJob): string {
  const { name, rows } = benchmark;
  const met = `${countOf(rows, "row")} ${rows === 1 ? "is" : "are"} from ${name}, a benchmark that others measure on`;
  if (benchmark.held_out !== undefined) return `${met}: ${whereSentence(benchmark, job)}`;
  if (job.split === "train")
    return `${met}. As you chose, new problems are in the train split unless their row holds them out. Problems that the project held out before stay held out, whatever a file says.`;
  const would = reportOf(job)?.imported ? "their problems are" : "their problems would be";
  const otherwise = job.split === "" ? " To learn from them anyway, choose “train” under Split." : "";
  return `${met}: ${would} held out, unless a row says otherwise.${otherwise}`;
}

/** Return where the problems of a benchmark's rows go, and how to change that. */
function whereSentence(
  { rows, held_out = 0, says_train = 0, by_split = 0 }: NonNullable<ImportReport["benchmarks"]>[number],
  job: ImportJob,
): string {
  const are = reportOf(job)?.imported ? "are" : "would be";
  const asked = job.split === "train" ? by_split : 0;
  const of = (count: number) => (count === rows ? "" : ` of ${countOf(count, "row")}`);
  const itself = says_train === 1 ? "the row says" : "these rows say";
  const told = [
    held_out > 0 && `the problems${of(held_out)} ${are} held out`,
    asked > 0 && `new problems${of(asked)} ${are} in the train split, as you chose`,
    says_train > 0 && `new problems${of(says_train)} ${are} in the train split, as ${itself}`,
  ].filter((part) => part !== false);
  const hints = [
    held_out < rows && "Problems that the project held out before stay held out, whatever a file says.",
    by_split > 0 && job.split === "" && "To learn from the held-out ones anyway, choose “train” under Split.",
    says_train > 0 && job.split !== "train" && "To hold them all out, remove “split” from the rows.",
  ].filter((part) => part !== false);
  return [`${told.join("; ")}.`, ...hints].join(" ");
}

/** Return the whole fault report as plain text, to send to whoever made the file. */
export function faultReportText(job: ImportJob): string {
  const report = reportOf(job);
  return report ? faultsAsText(job.file_name, report.rows, report.faults) : `${job.file_name}: no report.`;
}
