/** What Home says about the training started by a round's close. Pure. */
import type { Home } from "@/api/homeTypes";
import type { TrainingAtClose } from "@/api/trainingTypes";
import { roundWithin, runStanding } from "@/ui/trainingWords";

interface CloseNews {
  says: string;
  detail: string;
  /** A path below the project's address. */
  link: { to: string; name: string } | null;
  tone: "going" | "warn" | "quiet";
}

/** Return whether its state changes on its own. */
export function isUnderWay({ due, run }: TrainingAtClose): boolean {
  return due || run?.status === "queued" || run?.status === "running";
}

/**
 * Return the news of the newest close. Null if there is nothing to say, or if the curve shown is newer than the close.
 */
export function closeNews(atClose: TrainingAtClose, shown: Home["learning"]): CloseNews | null {
  const { round, closed_at, run, error } = atClose;
  if (!round || !closed_at) return null;
  if (isUnderWay(atClose)) return going(roundWithin(round), atClose);
  if (shown && Date.parse(shown.finished_at) > Date.parse(closed_at)) return null;
  if (error) {
    const says = `No training started at the close of ${roundWithin(round)}.`;
    const link = atClose.has_base ? { to: "prms/train", name: "Train a PRM" } : null;
    return { says, detail: `${error} The training at the next close will include its labels.`, link, tone: "warn" };
  }
  return run && ended(`The training at the close of ${roundWithin(round)}`, run);
}

function going(closed: string, { due, behind, run }: TrainingAtClose): CloseNews | null {
  const says = `Training at the close of ${closed}:`;
  if (due && behind !== null) {
    const link = { to: `prms/runs/${behind}`, name: "The current training" };
    return { says, detail: "it starts when the current training has ended.", link, tone: "going" };
  }
  if (due) return { says, detail: "it starts within half a minute.", link: null, tone: "going" };
  return run && { says, detail: `${runStanding(run)} ${run.said}`.trim(), link: toRun(run.id), tone: "going" };
}

function ended(which: string, run: NonNullable<TrainingAtClose["run"]>): CloseNews {
  const link = toRun(run.id);
  if (run.status === "failed") return { says: `${which} failed.`, detail: runStanding(run), link, tone: "warn" };
  if (run.status === "cancelled") return { says: `${which} was stopped.`, detail: "", link, tone: "quiet" };
  const detail = "Only the training of a head does, and only with enough right and wrong steps.";
  return { says: `${which} measured no curve.`, detail, link, tone: "quiet" };
}

function toRun(id: number): { to: string; name: string } {
  return { to: `prms/runs/${id}`, name: "Its curves and log" };
}
