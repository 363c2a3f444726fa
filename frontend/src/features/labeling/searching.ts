/** The words that are searched, in texts and on the page. */

/** The places of the texts that have the words; letters of either case, any white space. Pure. */
export function stepsWith(texts: readonly string[], words: string): number[] {
  const sought = plain(words).trim();
  if (sought === "") return [];
  return texts.flatMap((text, place) => (plain(text).includes(sought) ? [place] : []));
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ");
}

const HIGHLIGHT = "found";

/** Mark the words where they stand as such in the steps; older browsers only show the step. */
export function highlight(words: string): void {
  if (typeof Highlight === "undefined" || !CSS.highlights) return;
  CSS.highlights.delete(HIGHLIGHT);
  const sought = words.trim().toLowerCase();
  if (sought === "") return;
  const ranges = new Highlight();
  for (const place of document.querySelectorAll("[data-step] .read, aside .read")) markIn(place, sought, ranges);
  CSS.highlights.set(HIGHLIGHT, ranges);
}

function markIn(place: Element, sought: string, ranges: Highlight): void {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.textContent ?? "").toLowerCase();
    for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + sought.length);
      ranges.add(range);
    }
  }
}
