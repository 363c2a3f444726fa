import type { Round, RoundStatus } from "@/api/projectTypes";
import type { SampleCounts, StageProgress } from "@/api/roundTypes";
import { countOf, formatCount, formatDuration, formatPercent } from "@/ui/format";

/** Return where the round is now, or where it stopped. */
export function placeOf(round: Pick<Round, "status" | "resume_to">): RoundStatus {
  return (round.status === "paused" || round.status === "failed") && round.resume_to ? round.resume_to : round.status;
}

export type RoundAction = "pause" | "resume" | "cancel" | "publish" | "close";

/** Return what you can do with a round now, in the order of the buttons. */
export function actionsOf(round: Pick<Round, "status" | "working" | "with_workers" | "imported">): RoundAction[] {
  if (round.imported) return [];
  if (round.working) return ["pause", "cancel"];
  switch (round.status) {
    case "ready":
      return ["publish", "cancel"];
    case "failed":
      return ["resume", "cancel"];
    case "paused":
      return round.with_workers ? ["resume", "cancel"] : ["resume", "close"];
    case "labeling":
      return ["pause", "close"];
    default:
      return [];
  }
}

/** "1,204 of 9,000 traces (13 %)". A single stroke of work has no count. */
export function doneWords({ whole, doing, state, done, total, unit }: StageProgress): string {
  const idle = state === "done" && total === 0 && done === 0 && !whole;
  if (state === "skipped" || idle) return "Nothing to do here.";
  if (whole && state === "running") return doing;
  if (whole && total === 0) return state === "done" ? "Done." : "";
  if (state === "waiting") return total > 0 ? countOf(total, unit.slice(0, -1)) : "";
  if (state === "running" && total === 0) return "Planning the work…";
  if (state === "done") return countOf(done, unit.slice(0, -1));
  return `${formatCount(done)} of ${countOf(total, unit.slice(0, -1))} (${formatPercent(done, total)})`;
}

/** "42 a second, about 3 min left, 2 workers"; for a finished stage, how long it took. */
export function paceWords(stage: StageProgress): string {
  if (stage.state === "done" && stage.started_at && stage.finished_at) {
    const took = Date.parse(stage.finished_at) - Date.parse(stage.started_at);
    return took < 1_000 ? "took less than a second" : `took ${formatDuration(took)}`;
  }
  if (stage.state !== "running" || stage.workers === 0) return "";
  const parts = [
    stage.per_second !== null && rateWords(stage.per_second),
    stage.seconds_left !== null &&
      stage.done < stage.total &&
      `about ${formatDuration(stage.seconds_left * 1_000)} left`,
    countOf(stage.workers, "worker"),
  ];
  return parts.filter(Boolean).join(", ");
}

const DROPPED: Record<string, string> = {
  over_length: "cut off at the token limit",
  no_answer: "without a final answer",
  blank: "empty",
  unfinished: "stopped by the server",
  duplicate: "already in the project",
  refused: "refused by the server",
};

/** What became of the samples that a model wrote: "5 kept; 9 without a final answer, 2 empty". */
export function sampleWords({ samples, kept, dropped }: SampleCounts): string {
  if (samples === 0) return "";
  const lost = Object.entries(dropped).filter(([, count]) => count > 0);
  const reasons = lost.map(([why, count]) => `${formatCount(count)} ${DROPPED[why] ?? why.replaceAll("_", " ")}`);
  return [`${formatCount(kept)} kept`, reasons.join(", ")].filter(Boolean).join("; ");
}

function rateWords(perSecond: number): string {
  if (perSecond >= 10) return `${formatCount(Math.round(perSecond))} a second`;
  if (perSecond >= 1) return `${perSecond.toFixed(1)} a second`;
  return `${(perSecond * 60).toFixed(perSecond * 60 >= 10 ? 0 : 1)} a minute`;
}
