import type { ScoreImport } from "@/api/scoreTypes";
import { countOf, formatCount } from "@/ui/format";

/** Return what an import of scores did, or would do, in one or two sentences. */
export function outcomeOf(job: ScoreImport): string {
  if (job.status === "cancelled") return "The import was cancelled. Nothing was imported.";
  const { report } = job;
  if (!report) return job.error || "The import did not finish. Nothing was imported.";
  const scores = `scores for ${countOf(report.scores.new, "trace")}`;
  const known = report.scores.known > 0 ? ` ${formatCount(report.scores.known)} were already known.` : "";
  const left = countOf(report.without_score, "trace");
  const without =
    report.without_score > 0
      ? ` ${left} in the project have no score from it. A round that chooses by it leaves them out.`
      : "";
  const faulty = report.faults.total;
  if (report.imported)
    return `Imported ${scores}${faulty > 0 ? `; ${countOf(faulty, "fault")} skipped` : ""}.${known}${without}`;
  if (!job.dry_run) return job.error || `Nothing was imported: ${countOf(faulty, "fault")} found.`;
  if (faulty === 0) return `The file has no faults. Importing it would add ${scores}.${known}`;
  if (report.scores.new === 0)
    return `${countOf(faulty, "fault")} found. Without the faulty rows, nothing new is left.${known}`;
  return `${countOf(faulty, "fault")} found. Without the faulty rows, importing it would add ${scores}.${known}`;
}
