import { useUser } from "@/api/session";
import { commandNamed } from "@/protocol/commands";
import { type Command, NO_CHOICES, useCommandKeys } from "@/protocol/keyMap";

/** Takes the undo key while no label is on the desk to take it. */
export function UndoByKey({ onUndo }: { onUndo: () => void }) {
  useCommandKeys(UNDO, useUser().preferences.keys ?? NO_CHOICES, onUndo);
  return null;
}

const UNDO: readonly Command<() => void>[] = [
  { ...commandNamed("undo"), enabled: () => true, run: (onUndo) => onUndo() },
];
