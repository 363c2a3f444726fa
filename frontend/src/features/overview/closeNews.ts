/** What Home says of the training that a round's close began. Pure. */
import type { TrainingAtClose } from "@/api/trainingTypes";
import { roundWithin, runStanding } from "@/ui/trainingWords";

export interface CloseNews {
  says: string;
  /** Under the project's address. */
  link: { to: string; name: string } | null;
  tone: "going" | "warn" | "quiet";
}

/** Whether it changes by itself. */
export function isUnderWay({ due, run }: TrainingAtClose): boolean {
  return due || run?.status === "queued" || run?.status === "running";
}

/** Of the newest close; null where there is nothing to say beyond the curve, which is of the training `shown`. */
export function closeNews({ round, due, behind, run, error }: TrainingAtClose, shown: number | null): CloseNews | null {
  if (!round) return null;
  const closed = roundWithin(round);
  if (due && behind !== null) {
    const says = `The training at the close of ${closed} waits until the one that is under way has ended.`;
    return { says, link: trainingLink(behind), tone: "going" };
  }
  if (due)
    return { says: `The training at the close of ${closed} begins within half a minute.`, link: null, tone: "going" };
  if (error) {
    const says = `No training began at the close of ${closed}: ${error} The next close takes its labels too.`;
    return { says, link: { to: "prms/train", name: "Train a PRM" }, tone: "warn" };
  }
  if (!run) return null;
  const link = trainingLink(run.id);
  const began = `Training at the close of ${closed}`;
  if (run.status === "failed") return { says: `${began} failed: ${runStanding(run)}`, link, tone: "warn" };
  if (run.status === "cancelled") return { says: `${began} was stopped by somebody.`, link, tone: "quiet" };
  if (run.status !== "succeeded")
    return { says: `${began}: ${runStanding(run)} ${run.said}`.trim(), link, tone: "going" };
  if (run.id === shown) return null;
  const says = `${began} measured no curve: only a head’s training does, with enough steps of either kind.`;
  return { says, link, tone: "quiet" };
}

function trainingLink(id: number): { to: string; name: string } {
  return { to: `prms/runs/${id}`, name: "Its page" };
}
