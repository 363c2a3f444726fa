/** Limits how much of a text is rendered; the rest is shown as it was written. */
import { partedAtMinus } from "./minus";
import { renderTex } from "./renderTex";
import type { Segment } from "./segmentKinds";

/**
 * Characters of markup that a browser lays out in a second or two; the formulas of the largest of 48,000 real texts
 * have 180,000.
 */
const MOST = 1_000_000;
/** The cost of anything else in such characters: a few words, a line break, a cell. */
const OF_PART = 200;
const OF_BOX = 2_000;
/** The cost of one character of a program: each of its words may have a colour. */
const OF_CODE = 10;
/** The cost of one character of refused TeX, which was work for KaTeX too. */
const OF_REFUSED = 50;

/** The segments up to the limit beyond which they would keep the page busy, then the rest as one segment. */
export function drawable(segments: readonly Segment[]): Segment[] {
  const found: Segment[] = [];
  let left = MOST;
  let rest = "";
  for (const part of segments) {
    if (left >= 0) left -= costOf(part);
    if (left < 0) rest += part.source;
    else found.push(part);
  }
  if (rest !== "") found.push({ kind: "rest", source: rest });
  return found;
}

function costOf(part: Segment): number {
  switch (part.kind) {
    case "math":
      return renderTex(part.tex, part.display).html?.length ?? OF_REFUSED * part.tex.length;
    case "text":
      return OF_PART * partedAtMinus(part.text).length;
    case "table":
      return costOfAll(part.rows.flat(2)) + OF_PART * part.rows.flat().length;
    case "link":
      return costOfAll(part.words) + OF_PART;
    default:
      return "language" in part ? OF_BOX + OF_CODE * part.text.length : OF_PART;
  }
}

function costOfAll(parts: readonly Segment[]): number {
  return parts.reduce((sum, part) => sum + costOf(part), 0);
}
