/** What the bottom line says about the submission before this label. Pure. */
import type { QueuedSubmission } from "@/api/journal";
import type { News } from "@/ui/BottomLine";

interface QueueSays {
  /** Submissions that the server refused. */
  refused: readonly QueuedSubmission[];
  notice: string;
  /** The label before, which can still be taken back: submitted, or left. `haste` asks whether it was really read. */
  last: { key: string; haste: string; left: boolean } | null;
  /** It has not reached the server, and cannot until the connection is back. */
  waits: boolean;
  /** Work on the next label has begun, so `z` undoes that first. */
  working: boolean;
  undoKey: string;
  undo: () => void;
  hide: () => void;
  openRefused: (item: QueuedSubmission) => void;
}

export function queueNews(says: QueueSays): News | null {
  const { refused, notice, last, waits, working, undoKey, undo, hide, openRefused } = says;
  const [item] = refused;
  if (item) {
    const words = `The server rejected a label you submitted: ${item.refusal?.detail} It is kept on this device.`;
    return { words, tone: "warn", actions: [{ words: "Open it again", run: () => openRefused(item) }] };
  }
  const takesBack = { words: "take it back", keyCap: undoKey, run: undo };
  if (notice !== "") {
    const actions = [...(last && !working ? [takesBack] : []), { words: "Hide", run: hide }];
    return { words: notice, actions };
  }
  if (!last || working) return null;
  const words = last.left
    ? "You left the last problem."
    : last.haste || (waits ? "Kept here, sent later." : "Submitted.");
  return { words, actions: [takesBack] };
}
