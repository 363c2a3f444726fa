/** A terminal's output as pieces of text with a colour each; all other control sequences are removed. Pure. */

export interface Piece {
  text: string;
  /** 0 to 7, as terminals number them; null: the text's own colour. */
  colour: number | null;
  bold: boolean;
}

const ESC = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
const SEQUENCE = new RegExp(
  `${ESC}\\[([0-9;?]*)([A-Za-z@\`])|${ESC}\\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\\\)|${ESC}.?`,
  "g",
);

/** Remove what a terminal would not draw, except line ends and tabs. */
function withoutControls(text: string): string {
  return [...text.replace(/\r\n?/g, "\n")].filter((one) => one >= " " || one === "\n" || one === "\t").join("");
}

export function ansiPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let colour: number | null = null;
  let bold = false;
  let from = 0;
  const take = (end: number) => {
    const plain = withoutControls(text.slice(from, end));
    if (plain !== "") pieces.push({ text: plain, colour, bold });
  };
  for (const found of text.matchAll(SEQUENCE)) {
    take(found.index);
    from = found.index + found[0].length;
    if (found[2] !== "m") continue;
    for (const code of (found[1] || "0").split(";").map(Number)) {
      if (code === 0) [colour, bold] = [null, false];
      else if (code === 1) bold = true;
      else if (code === 39) colour = null;
      else if (code >= 30 && code <= 37) colour = code - 30;
      else if (code >= 90 && code <= 97) colour = code - 90;
    }
  }
  take(text.length);
  return pieces;
}

/** The same without colours. */
export const withoutAnsi = (text: string): string =>
  ansiPieces(text)
    .map((piece) => piece.text)
    .join("");
