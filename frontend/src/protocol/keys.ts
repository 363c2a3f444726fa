/** Keys by name: how a key press is written down, shown, and when it is not a command. */

/** "space", "enter", "x", "shift+z", "?", "arrowdown". Shift is named only where the character does not already tell. */
export function keyOf(event: Pick<KeyboardEvent, "key" | "shiftKey">): string {
  const key = event.key === " " ? "space" : event.key.toLowerCase();
  const namesShift = event.shiftKey && (key.length > 1 || /^\p{L}$/u.test(key));
  return namesShift ? `shift+${key}` : key;
}

const SHOWN: Record<string, string> = {
  enter: "↵",
  arrowdown: "↓",
  arrowup: "↑",
  arrowleft: "←",
  arrowright: "→",
  backspace: "⌫",
  home: "Home",
  end: "End",
  pageup: "PgUp",
  pagedown: "PgDn",
  "-": "−",
};

/** The key as its cap shows it. */
export function showKey(key: string): string {
  const shift = key.startsWith("shift+");
  const bare = shift ? key.slice("shift+".length) : key;
  return `${shift ? "⇧" : ""}${SHOWN[bare] ?? bare}`;
}

const NEVER_A_COMMAND = new Set([
  "shift",
  "control",
  "alt",
  "meta",
  "capslock",
  "tab",
  "escape",
  "dead",
  "process",
  "unidentified",
  "contextmenu",
  "fn",
  "altgraph",
]);

/** May this key be given to a command? Tab and Escape belong to the browser, F keys too. */
export function isAssignable(key: string): boolean {
  const bare = key.replace(/^shift\+/, "");
  return !NEVER_A_COMMAND.has(bare) && !/^f\d+$/.test(bare) && !/^(insert|print|scroll|pause)/.test(bare);
}

const TYPING =
  "input:not([type=radio]):not([type=checkbox]):not([type=button]), textarea, select, [contenteditable=true]";
const DIALOG = "dialog, [role=dialog]";
const PRESSABLE = "button, a[href], summary, [role=button], input[type=radio], input[type=checkbox]";

/** Does somebody write in the field that has the focus? Then nothing that comes by itself takes it from there. */
export function isTyping(): boolean {
  return document.activeElement?.matches(TYPING) ?? false;
}

/** Ctrl (or ⌘) and Enter while typing: done with the words, as in every dialog. */
export function isFinishingPress(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.repeat || event.key !== "Enter") return false;
  return (event.ctrlKey || event.metaKey) && event.target instanceof Element && event.target.matches(TYPING);
}

/** A held Enter or Space on something that is pressed would press it again and again. */
export function isHeldPress(event: KeyboardEvent): boolean {
  const presses = event.key === " " || event.key === "Enter";
  return event.repeat && presses && event.target instanceof Element && event.target.closest(PRESSABLE) !== null;
}

/**
 * Is this press meant for the page's commands? Not while typing, not in a dialog, not during IME composition, not with
 * Ctrl, Alt or Meta; and Space and Enter on a focused button press that button.
 */
export function isCommandPress(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return false;
  if (event.ctrlKey || event.altKey || event.metaKey) return false;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(TYPING) || target?.closest(DIALOG)) return false;
  const presses = event.key === " " || event.key === "Enter";
  return !(presses && target?.closest(PRESSABLE));
}
