/** Searching for words, in texts and on the page. */

/** Return the indices of the texts that contain the words, ignoring case and differences in white space. Pure. */
export function stepsWith(texts: readonly string[], words: string): number[] {
  const sought = plain(words).trim();
  if (sought === "") return [];
  return texts.flatMap((text, place) => (plain(text).includes(sought) ? [place] : []));
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ");
}

const HIGHLIGHT = "found";

/** Highlight the words where the steps contain them as such. Older browsers only show the step. */
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
  for (const range of rangesOf(place, sought)) ranges.add(range);
}

/** Return the ranges of the words in the rendered text, even if part of them is in an element of its own. */
export function rangesOf(place: Element, sought: string): Range[] {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const nodes: { node: Text; from: number }[] = [];
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node: node as Text, from: text.length });
    const { data } = node as Text;
    const small = data.toLowerCase();
    text += small.length === data.length ? small : data; // a few letters are longer in lower case
  }
  const found: Range[] = [];
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length)) {
    const [first, last] = [at, at + sought.length - 1].map((where) => nodes.findLast(({ from }) => from <= where));
    if (!first || !last) break;
    const range = document.createRange();
    range.setStart(first.node, at - first.from);
    range.setEnd(last.node, at + sought.length - last.from);
    found.push(range);
  }
  return found;
}
