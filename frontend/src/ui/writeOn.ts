/**
 * The focus for what was opened to be written in, with the caret behind the text: a browser puts it before the first
 * letter, and whoever goes on with what they began would write in front of it. Other things only get the focus.
 */
export function writeOn(field: HTMLElement | null | undefined, options?: FocusOptions): void {
  field?.focus(options);
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return;
  if (field.selectionStart === null) return; // a number, a box to tick: they have no caret to be put anywhere
  field.setSelectionRange(field.value.length, field.value.length);
  field.scrollTop = field.scrollHeight; // a caret that is put somewhere is not brought into sight
}
