/**
 * What the mathematics of a text has that another one lacks, in order: letters, numbers and signs of formulas, and
 * numbers and signs among words. Places are ranges of the page's text, which can be marked without changing the page.
 */

export interface Sign {
  key: string;
  range: () => Range;
}

/** In a formula, everything visible: a number, a letter, a sign. */
const IN_FORMULA = /\d+(?:[.,]\d+)*|\p{L}|[^\s\p{L}\d\p{Cf}]/gu;
/** In a program, a name counts as one. */
const IN_CODE = /\d+(?:[.,]\d+)*|[\p{L}_][\p{L}\d_]*|[^\s\p{L}\d\p{Cf}]/gu;
/** Among words: numbers, relations, operators, and single letters; no hyphens, no articles. */
const AMONG_WORDS =
  /\d+(?:[.,]\d+)*|[=+×·*÷/^<>≤≥≠≈%√±−]|(?<![\p{L}\d])[-–](?!\p{L}{2})|(?<![\p{L}’'])(?![AaI](?![\p{L}\d]) )\p{L}(?![\p{L}’'])/gu;

/** With more pairs of signs than this, nothing is compared: a step of a thousand lines is not an equation. */
const MOST_PAIRS = 4_000_000;

/** The signs of everything drawn within `root`, in the order of the page. */
export function signsIn(root: Element): Sign[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (!(node instanceof Element)) return NodeFilter.FILTER_ACCEPT;
    return node.matches(".katex-mathml, [data-not-read]") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
  });
  const found: Sign[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) found.push(...signsOf(node as Text));
  return found;
}

function signsOf(node: Text): Sign[] {
  const around = node.parentElement;
  const rule = around?.closest(".katex") ? IN_FORMULA : around?.closest("pre, code") ? IN_CODE : AMONG_WORDS;
  return [...node.data.matchAll(rule)].map(({ 0: sign, index }) => ({
    key: sign.replace(/[−–]/, "-").replace("⋅", "·"),
    range: () => {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + sign.length);
      return range;
    },
  }));
}

/**
 * The places of `before` that `now` lacks, and those of `now` that `before` lacks: what is outside a longest common
 * subsequence. Empty if nothing is common, because then it is another statement and not a change.
 */
export function changed(before: readonly string[], now: readonly string[]): { gone: number[]; come: number[] } {
  const none = { gone: [], come: [] };
  if (before.length * now.length > MOST_PAIRS) return none;
  const lengths = commonLengths(before, now);
  const width = now.length + 1;
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  if (at(0, 0) === 0) return none;
  const gone: number[] = [];
  const come: number[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < now.length) {
    if (i < before.length && j < now.length && before[i] === now[j]) {
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) gone.push(i++);
    else come.push(j++);
  }
  return { gone, come };
}

/** How many signs the remainders from i and j have in common, row by row. */
function commonLengths(before: readonly string[], now: readonly string[]): Uint16Array {
  const width = now.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const [right, below] = [lengths[i * width + j + 1] ?? 0, lengths[(i + 1) * width + j] ?? 0];
      lengths[i * width + j] =
        before[i] === now[j] ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(right, below);
    }
  }
  return lengths;
}
