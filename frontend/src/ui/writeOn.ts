/**
 * Focus what was opened for writing, with the caret after the text. A browser puts it before the first letter, so
 * someone who continues a text would write in front of it. Other elements only get the focus.
 */
export function writeOn(field: HTMLElement | null | undefined, options?: FocusOptions): void {
  field?.focus(options);
  const text = field as HTMLTextAreaElement | null | undefined;
  // A number, a checkbox or a button has no caret. A caret out of sight scrolls into view with the next letter.
  if (text?.selectionStart != null) text.selectionStart = text.value.length;
}
