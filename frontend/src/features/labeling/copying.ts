/** Copies a step as its source, and its formulas one by one. */
import { segment } from "@/ui/math/segments";

/** Return what the key copies, press by press: the step as it was written, then each of its formulas. Pure. */
export function copiesOf(text: string): string[] {
  const formulas = segment(text).flatMap((part) => (part.kind === "math" ? [part.tex] : []));
  return [text, ...formulas.filter((tex) => tex !== text.trim())];
}

/** Return a short message about what was copied. `name` is the text's name, such as "step 3". */
export function copyWords(name: string, place: number, count: number): string {
  if (place > 0) return `Formula ${place} of ${count - 1} in ${name} copied as TeX.`;
  const more = count > 1 ? ` Again: its ${count > 2 ? `${count - 1} formulas` : "formula"}.` : "";
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} copied as it was written.${more}`;
}

/** Return false if the browser blocks writing to the clipboard. Without HTTPS, only the older method works. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeByHand(text);
  }
}

function writeByHand(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}
