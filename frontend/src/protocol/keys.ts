/** Keys by name: how a key press is written down and shown, and when it is not a command. */

/**
 * "space", "enter", "x", "shift+z", "?", "arrowdown". Shift is named only if the character does not already imply it.
 */
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

/** The key as shown on its cap. */
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

/** May this key be assigned to a command? Tab, Escape and the F keys belong to the browser. */
export function isAssignable(key: string): boolean {
  const bare = key.replace(/^shift\+/, "");
  return !NEVER_A_COMMAND.has(bare) && !/^f\d+$/.test(bare) && !/^(insert|print|scroll|pause)/.test(bare);
}

const TYPING =
  "input:not([type=radio]):not([type=checkbox]):not([type=button]), textarea, select, [contenteditable=true]";
const DIALOG = "dialog, [role=dialog]";
const PRESSABLE = "button, a[href], summary, [role=button], input[type=radio], input[type=checkbox]";

/** Is the focus in a field for typing? Then nothing that appears on its own may take the focus away. */
export function isTyping(): boolean {
  return document.activeElement?.matches(TYPING) ?? false;
}

/** Is this Ctrl (or ⌘) and Enter while typing? It finishes the text, as in every dialog. */
export function isFinishingPress(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.repeat || event.key !== "Enter") return false;
  return (event.ctrlKey || event.metaKey) && event.target instanceof Element && event.target.matches(TYPING);
}

/** Is this the repeat of a held Enter or Space on a pressable element? It would press it again and again. */
export function isHeldPress(event: KeyboardEvent): boolean {
  const presses = event.key === " " || event.key === "Enter";
  return event.repeat && presses && event.target instanceof Element && event.target.closest(PRESSABLE) !== null;
}

/**
 * Is this press meant for the page's commands? Not while typing, in a dialog, during IME composition, or with Ctrl, Alt
 * or Meta. Space and Enter on a focused button press that button instead.
 */
export function isCommandPress(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return false;
  if (event.ctrlKey || event.altKey || event.metaKey) return false;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(TYPING) || target?.closest(DIALOG)) return false;
  const presses = event.key === " " || event.key === "Enter";
  return !(presses && target?.closest(PRESSABLE));
}
