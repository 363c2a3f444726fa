/** The segments that a text is split into, and the rules that find them. */
import type { Cursor } from "./scan";

export type Segment =
  | { kind: "text"; text: string; bold: boolean; italic?: boolean; source: string }
  | { kind: "math"; tex: string; display: boolean; bold: boolean; source: string }
  | { kind: "code"; text: string; language: string; source: string }
  /** A figure that is not drawn: its source, or the address of an image and its alternative text. */
  | { kind: "figure"; text: string; language: "asymptote" | "image"; words: string; source: string }
  | { kind: "inlineCode"; text: string; bold: boolean; source: string }
  | { kind: "calculator"; text: string; source: string }
  /** A sign that opens or closes something contained in another step: a fence, "$$", "\\[". */
  | { kind: "marker"; text: string; bold: boolean; source: string }
  | { kind: "newline"; count: number; source: string }
  /** The sign that begins a list item. */
  | { kind: "item"; mark: string; depth: number; source: string }
  /** The first row is the head. */
  | { kind: "table"; rows: Segment[][][]; aligns: ("left" | "center" | "right")[]; source: string }
  | { kind: "link"; words: Segment[]; address: string; source: string }
  | { kind: "rule"; source: string }
  /** What comes after so much else that it is not rendered. */
  | { kind: "rest"; source: string };

/** A rule looks at one place of the text and returns null, or what it found and where that ends. */
export type Rule = (cursor: Cursor) => { segments: Segment[]; end: number } | null;
