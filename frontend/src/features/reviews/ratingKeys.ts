import { useEffect, useRef } from "react";

/** What a key does while a trace is reviewed; the keys are those of the labeling page. */
export type RatingKey = { rate: number } | { move: number } | "clear" | "submit" | "skip" | "back";

const KEYS: Record<string, RatingKey> = {
  " ": { rate: 1 },
  "1": { rate: 1 },
  "0": { rate: 0 },
  x: { rate: -1 },
  "-": { rate: -1 },
  j: { move: 1 },
  ArrowDown: { move: 1 },
  k: { move: -1 },
  ArrowUp: { move: -1 },
  Backspace: "clear",
  Enter: "submit",
  s: "skip",
  z: "back",
};

const TYPING = "input:not([type=radio]):not([type=checkbox]), textarea, select, [role=dialog]";
const PRESSABLE = "button, a[href], summary, input";

/** What a press is for; null where it is for a field, a button, a dialog or the browser. */
export function ratingKey(event: KeyboardEvent): RatingKey | null {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return null;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(TYPING)) return null;
  if ((event.key === " " || event.key === "Enter") && target?.closest(PRESSABLE)) return null;
  return KEYS[event.key] ?? null;
}

export function useRatingKeys(press: (key: RatingKey) => void): void {
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const key = ratingKey(event);
      if (key === null) return;
      event.preventDefault();
      latest.current(key);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}
