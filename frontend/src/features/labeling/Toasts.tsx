import { type ReactNode, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";
import type { QueuedSubmission } from "@/api/journal";
import type { Outbox } from "@/api/outbox";
import { useUser } from "@/api/session";
import { commandNamed } from "@/protocol/commands";
import { type Command, keysOf, NO_CHOICES, useCommandKeys } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { Button } from "@/ui/Button";
import { useNow } from "@/ui/useNow";
import type { DeskSession } from "./deskSession";
import classes from "./layout.module.css";

interface UndoToastProps {
  /** When the label was submitted; null for a mere notice. */
  at: number | null;
  notice: string;
  onUndo?: () => void;
  onGone: () => void;
}

const UNDO_S = 60;

/** "Submitted", with the seconds left to take it back. */
export function UndoToast({ at, notice, onUndo, onGone }: UndoToastProps) {
  const now = useNow(1_000);
  const [undoKey = ""] = keysOf(commandNamed("undo"), useUser().preferences.keys ?? NO_CHOICES);
  const left = at === null ? null : Math.max(0, Math.ceil(UNDO_S - (now - at) / 1_000));
  return (
    <div className={classes.toast} role="status">
      <span>{notice || "Submitted."}</span>
      {onUndo && left !== null && (
        <Button onClick={onUndo}>
          Undo <kbd>{showKey(undoKey)}</kbd>{" "}
          <span className="tabular" aria-hidden>
            {left} s
          </span>
        </Button>
      )}
      <Button aria-label="Hide this message" onClick={onGone}>
        ✕
      </Button>
    </div>
  );
}

/** Where no label is on the desk to take the key, the offer itself does. */
export function UndoByKey({ onUndo }: { onUndo: () => void }) {
  useCommandKeys(UNDO, useUser().preferences.keys ?? NO_CHOICES, onUndo);
  return null;
}

const UNDO: readonly Command<() => void>[] = [
  { ...commandNamed("undo"), enabled: () => true, run: (onUndo) => onUndo() },
];

/** Shown until the next label is worked on: from then on `z` takes that work back first, and its steps want the room. */
export function BeforeWork({ session, children }: { session: DeskSession; children: ReactNode }) {
  return useSyncExternalStore(session.subscribe, session.isUntouched) ? children : null;
}

/** A submission the server did not take: it is still on this device, and can be opened again. */
export function RefusedNotice({ items, outbox }: { items: readonly QueuedSubmission[]; outbox: Outbox }) {
  const navigate = useNavigate();
  const [item] = items;
  if (!item) return null;
  return (
    <div className={classes.toast} role="alert">
      <span>The server did not take a label you submitted: {item.refusal?.detail} It is kept on this device.</span>
      <Button
        onClick={() =>
          void outbox.withdraw(item.key).then(() => navigate(`/projects/${item.slug}/label/${item.labelId}`))
        }
      >
        Open it again
      </Button>
    </div>
  );
}
