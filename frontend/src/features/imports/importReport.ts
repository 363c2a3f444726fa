import type { FaultExample, ImportJob, ImportReport, JobStatus } from "@/api/jobTypes";
import { countOf, formatCount } from "@/ui/format";

export function isOver(status: JobStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "cancelled";
}

/** The report, once there is one: a job that has not finished reading has none. */
export function reportOf(job: ImportJob): ImportReport | null {
  return job.report && "faults" in job.report ? job.report : null;
}

/** What a dry run found, in a word; null of anything else. */
export function checkedState(job: ImportJob): { tone: "good" | "held" | "bad"; name: string } | null {
  const report = reportOf(job);
  if (!job.dry_run || job.status !== "succeeded" || !report) return null;
  if (report.faults.total === 0) return { tone: "good", name: "clean" };
  const read = report.traces.new + report.traces.known + report.problems.new + report.problems.known;
  return read > 0 ? { tone: "held", name: "has faults" } : { tone: "bad", name: "nothing readable" };
}

/** "bad_json" as people read it. */
export function faultName(kind: string): string {
  const words = kind.replaceAll("_", " ").replace(/\b(json|nul|utf8)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the import did, or would do, in one sentence. */
export function outcomeSentence(job: ImportJob): string {
  const report = reportOf(job);
  if (job.status === "cancelled") return "It was cancelled; nothing was imported.";
  if (!report) return job.error || "It did not finish; nothing was imported.";
  const parts = [
    countOf(report.traces.new, "new trace"),
    countOf(report.problems.new, "new problem"),
    ...(report.labels.new > 0 ? [countOf(report.labels.new, "label")] : []),
    ...(report.gold ? [countOf(report.gold.new, "gold item")] : []),
  ];
  const nothing = report.traces.new + report.problems.new + report.labels.new + (report.gold?.new ?? 0) === 0;
  const list = nothing ? "nothing new" : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
  const faulty = report.faults.total;
  if (report.imported) return `Imported ${list}${faulty > 0 ? `; ${countOf(faulty, "fault")} skipped` : ""}.`;
  if (!job.dry_run) return job.error || `Nothing was imported: ${countOf(faulty, "fault")} found.`;
  if (faulty === 0) return `A clean file: it would bring ${list}.`;
  return `${countOf(faulty, "fault")} found. Without the faulty rows it would bring ${list}.`;
}

/** What was in the file already, or twice; empty where there is nothing of the kind. */
export function knownSentence(report: ImportReport): string {
  const parts = [
    report.traces.duplicate_in_file > 0 &&
      `${countOf(report.traces.duplicate_in_file, "trace")} stood twice in the file`,
    report.traces.known > 0 && `${countOf(report.traces.known, "trace")} known already`,
    report.problems.known > 0 && `${countOf(report.problems.known, "problem")} known already`,
    (report.gold?.known ?? 0) > 0 && `${countOf(report.gold?.known ?? 0, "trace")} gold already`,
    report.labels.known > 0 && `${countOf(report.labels.known, "label")} known already`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? `${parts.join(", ")}: counted, not doubled.` : "";
}

function exampleText(example: FaultExample): string {
  const where = example.field ? `line ${example.line}, ${example.field}` : `line ${example.line}`;
  return `  ${where}: found ${example.found}. ${example.do}`;
}

/** The whole fault report as plain text, to send to whoever made the file. */
export function faultReportText(job: ImportJob): string {
  const report = reportOf(job);
  if (!report) return `${job.file_name}: no report.`;
  const lines = [
    `${job.file_name}: ${countOf(report.rows, "row")} read, ${countOf(report.faults.total, "fault")} found.`,
  ];
  for (const kind of report.faults.kinds) {
    const shown = kind.examples.length;
    const first = shown < kind.count ? `, the first ${formatCount(shown)} of them` : "";
    lines.push("", `${faultName(kind.kind)}: ${formatCount(kind.count)}${first}`, ...kind.examples.map(exampleText));
  }
  return lines.join("\n");
}
