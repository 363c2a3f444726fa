import { type RefObject, useEffect, useEffectEvent } from "react";
import { useUser } from "@/api/session";
import { commandFor, type KeyChoices, keysOf, NO_CHOICES } from "@/protocol/keyMap";
import { keyOf, showKey } from "@/protocol/keys";
import { listMoves } from "./reviewCommands";

const FIELD = "input, textarea, select, [contenteditable=true], dialog, [role=dialog]";

type Move = (typeof listMoves)[number];

/** Return whether this key press is for the page, not for a field, a dialog or the browser. */
function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return false;
  return !(event.target instanceof Element && event.target.closest(FIELD));
}

/** Return the person's own keys. */
export function useKeyChoices(): KeyChoices {
  return useUser().preferences.keys ?? NO_CHOICES;
}

/** Return the keys for the next and the previous item, as shown on their caps. */
export function useMoveKeys(moves: readonly Move[] = listMoves): { next: string; previous: string } {
  const choices = useKeyChoices();
  const [next = "", previous = ""] = moves.map((move) => showKey(keysOf(move, choices)[0] ?? ""));
  return { next, previous };
}

/** Listen for the keys that move in a list, and for Enter. `press` returns whether it used the key. */
export function usePageKeys(
  press: (pressed: { by: 1 | -1 } | "open") => boolean,
  moves: readonly Move[] = listMoves,
): void {
  const choices = useKeyChoices();
  const listen = useEffectEvent((event: KeyboardEvent) => {
    if (!isForPage(event)) return;
    const pressed = commandFor(moves, keyOf(event), choices) ?? (event.key === "Enter" ? "open" : null);
    if (pressed && press(pressed)) event.preventDefault();
  });
  useEffect(() => {
    const heard = (event: KeyboardEvent) => listen(event);
    window.addEventListener("keydown", heard);
    return () => window.removeEventListener("keydown", heard);
  }, []);
}

/** j and k (or the person's own keys) move the focus over the links of a list's rows; Enter opens the row in hand. */
export function useListKeys(list: RefObject<HTMLElement | null>, rows: number, open: (place: number) => void): void {
  usePageKeys((pressed) => {
    if (rows === 0) return false;
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>("tbody a") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (pressed === "open") {
      if (at >= 0) open(at);
      return at >= 0;
    }
    links[Math.min(rows - 1, Math.max(0, at < 0 ? 0 : at + pressed.by))]?.focus();
    return true;
  });
}
