/** A label on the desk, whatever its protocol: rated step by step, or a path that is chosen. */
import type { Journal } from "@/api/journal";
import type { Label } from "@/api/types";
import { CHOOSE_STEP } from "@/protocol/choose_step/rules";
import { fetchedOnce } from "@/ui/partOfPage";
import { LabelSession } from "./labelSession";
import type { PathSession } from "./pathSession";
import { fetchRun } from "./useRun";

export type DeskSession = LabelSession | PathSession;

const fetchPaths = fetchedOnce(() => import("./pathSession"));

/**
 * Open a label with the best copy of its draft, and load the code that shows it. A path cannot be revised: once
 * submitted, it can only be reopened. Rejects if the code cannot be loaded.
 */
export async function openSession(
  label: Label,
  userId: number,
  journal: Journal,
  revising = false,
): Promise<DeskSession> {
  if (label.protocol === CHOOSE_STEP.name) return (await fetchPaths()).PathSession.open(label, userId, journal);
  if (label.typed_steps) await fetchRun();
  return LabelSession.open(label, userId, journal, revising);
}
