/**
 * The focus for what was opened to be written in, with the caret behind the text: a browser puts it before the first
 * letter, and whoever goes on with what they began would write in front of it. Other things only get the focus.
 */
export function writeOn(field: HTMLElement | null | undefined, options?: FocusOptions): void {
  field?.focus(options);
  const text = field as HTMLTextAreaElement | null | undefined;
  // A number, a box to tick, a button: they have no caret. One out of sight comes into it with the next letter.
  if (text?.selectionStart != null) text.selectionStart = text.value.length;
}
