import type { CSSProperties } from "react";
import { type CodePart, codeLines } from "./codeColours";
import classes from "./MathText.module.css";

const TAB = 4;
/** The most characters of a program that is coloured: each of its lines and words becomes an element. */
const MOST = 30_000;

/**
 * The lines of a program. A line that is too long continues further to the right than it began, because indentation has
 * a meaning.
 */
export function CodeText({ text }: { text: string }) {
  if (text.length > MOST) return text;
  const lines = text.split("\n");
  const parts = codeLines(text);
  return lines.map((line, index) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its index in the text
      key={index}
      className={classes.codeLine}
      style={{ "--indent": indentOf(line) } as CSSProperties}
    >
      {parts[index]?.map(part)}
      {index < lines.length - 1 ? "\n" : ""}
    </span>
  ));
}

function part({ text, kind }: CodePart, index: number) {
  if (kind === "plain") return text;
  return (
    <span key={index} className={classes[kind]}>
      {text}
    </span>
  );
}

/** The indentation of a line in characters; a tab counts as wide as it is drawn. */
export function indentOf(line: string): number {
  let column = 0;
  for (const character of line) {
    if (character === " ") column += 1;
    else if (character === "\t") column += TAB - (column % TAB);
    else break;
  }
  return column;
}
