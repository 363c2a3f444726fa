/** A label on the desk, whatever its protocol: rated step by step, or a path that is chosen. */
import type { Journal } from "@/api/journal";
import type { Label } from "@/api/types";
import { CHOOSE_STEP } from "@/protocol/choose_step/rules";
import { LabelSession } from "./labelSession";
import { PathSession } from "./pathSession";

export type DeskSession = LabelSession | PathSession;

/** Open a label with the best copy of its draft. A path is not revised: what was submitted is reopened, or stays. */
export function openSession(label: Label, userId: number, journal: Journal, revising = false): Promise<DeskSession> {
  if (label.protocol === CHOOSE_STEP.name) return PathSession.open(label, userId, journal);
  return LabelSession.open(label, userId, journal, revising);
}
