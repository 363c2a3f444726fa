import { type RefObject, useEffect, useRef } from "react";

const TYPING = "input, textarea, select, [contenteditable=true], [role=dialog]";

/** Is this press for the page, and not for a field, a dialog or the browser? */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return false;
  return !(event.target instanceof Element && event.target.closest(TYPING));
}

/** j and k move the focus over the rows' links in the list, Enter opens the row in hand. */
export function useListKeys(list: RefObject<HTMLElement | null>, rows: number, open: (place: number) => void): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const links = () => [...(list.current?.querySelectorAll<HTMLAnchorElement>("tbody a") ?? [])];
    const press = (event: KeyboardEvent) => {
      if (!isForPage(event) || rows === 0) return;
      const at = links().indexOf(document.activeElement as HTMLAnchorElement);
      if (event.key === "Enter" && at >= 0) {
        event.preventDefault();
        latest.current(at);
      }
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      links()[Math.min(rows - 1, Math.max(0, at < 0 ? 0 : at + step))]?.focus();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [list, rows]);
}
