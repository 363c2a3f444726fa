/** How many of a text's formulas are drawn. */
import { renderTex } from "./renderTex";
import type { Segment } from "./segmentKinds";

/** Characters of markup that a browser lays out in a second or two; the formulas of the largest of 48,000 real texts have 180,000. */
const MOST = 1_000_000;
/** What is refused was work for KaTeX, too: so much for a character of its source. */
const OF_REFUSED = 50;

/** The same, where formulas behind so many others that they would keep the page busy are not to be drawn. */
export function drawable(segments: readonly Segment[], means = { left: MOST }): Segment[] {
  return segments.map((part) => {
    if (part.kind === "link") return { ...part, words: drawable(part.words, means) };
    if (part.kind === "table") {
      return { ...part, rows: part.rows.map((row) => row.map((cell) => drawable(cell, means))) };
    }
    if (part.kind !== "math") return part;
    if (means.left <= 0) return { ...part, undrawn: true };
    means.left -= renderTex(part.tex, part.display).html?.length ?? OF_REFUSED * part.tex.length;
    return part;
  });
}
