/** Where a step can be cut in two: between words, never inside a formula or a program. Pure. */
import { segment } from "@/ui/math/segments";

export interface Word {
  /** As written, without the space around it. */
  text: string;
  /** Where it begins in the step's text. */
  at: number;
  math: boolean;
}

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let at = 0;
  for (const part of segment(text)) {
    if (part.kind === "text" || part.kind === "newline") {
      for (const match of part.source.matchAll(/\S+/g)) {
        words.push({ text: match[0], at: at + match.index, math: false });
      }
    } else if (part.source.trim() !== "") {
      words.push({ text: part.source, at, math: part.kind === "math" });
    }
    at += part.source.length;
  }
  return words;
}

const CONTEXT = 3;
const PLACES = /^Split before character (\d+)/gm;

/** Return the report: each place by its offset, for programs, and by the words around it. */
export function splitReport(words: readonly Word[], cuts: readonly number[], remark: string): string {
  const lines = cuts.map((cut) => {
    const before = words.slice(Math.max(0, cut - CONTEXT), cut);
    const after = words.slice(cut, cut + CONTEXT);
    const said = (some: readonly Word[]) => some.map((word) => word.text.replace(/\s+/g, " ")).join(" ");
    return `Split before character ${words[cut]?.at ?? 0}: …${said(before)} ⏐ ${said(after)}…`;
  });
  return [...lines, ...(remark.trim() ? [remark.trim()] : [])].join("\n");
}

/** Return the cuts and the remark of a report written here earlier. */
export function readSplitReport(words: readonly Word[], report: string): { cuts: number[]; remark: string } {
  const places = new Set([...report.matchAll(PLACES)].map((match) => Number(match[1])));
  const cuts = words.flatMap((word, index) => (index > 0 && places.has(word.at) ? [index] : []));
  const lines = report.split("\n");
  let last = -1;
  lines.forEach((line, index) => {
    if (/^Split before character \d+/.test(line)) last = index;
  });
  const remark = lines.slice(last + 1).join("\n");
  return { cuts, remark };
}
