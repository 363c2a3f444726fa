/** The keywords, strings and comments of a line of a program, told apart roughly and in any language. Pure. */

export interface CodePart {
  text: string;
  kind: "plain" | "keyword" | "string" | "comment";
}

const KEYWORDS =
  "and|as|assert|async|await|bool|boolean|break|case|catch|char|class|const|continue|def|default|del|do|double|elif|else|" +
  "except|extends|false|False|final|finally|float|fn|for|from|func|function|global|if|import|in|int|interface|is|" +
  "lambda|let|new|None|nonlocal|not|null|nullptr|or|package|pass|print|private|public|raise|return|self|" +
  "static|struct|super|switch|this|throw|true|True|try|type|using|var|void|while|with|yield";
/** What starts a part: a quotation mark, a comment sign, or a keyword. */
const BEGINS = new RegExp(`["'\`]|#(?!include)|//|\\b(?:${KEYWORDS})\\b`, "g");
/** The content of quotation marks, up to where they may end. */
const QUOTED: Readonly<Record<string, RegExp>> = { '"': /(?:[^"\\]|\\.)*/y, "'": /(?:[^'\\]|\\.)*/y, "`": /[^`]*/y };

/** A sentence, such as one in a string that another step opened. */
const PROSE = /^\s*[A-Z]\S*(\s+\S+){3,}/;
const TRIPLE = /"""|'''/g;

/** The parts of each line of a text; a string in triple quotes may span many lines. */
export function codeLines(text: string): CodePart[][] {
  let inside = false;
  return text.split("\n").map((line) => {
    const quotes = line.match(TRIPLE)?.length ?? 0;
    const string = inside || quotes > 0;
    if (quotes % 2 === 1) inside = !inside;
    if (string) return [{ text: line, kind: "string" }];
    return PROSE.test(line) && !/[=(){}[\];]/.test(line) ? [{ text: line, kind: "plain" }] : codeParts(line);
  });
}

/** The parts of a line; joined, they are the line. */
export function codeParts(line: string): CodePart[] {
  const parts: CodePart[] = [];
  const ends = new LineEnds(line);
  let at = 0;
  const add = (text: string, kind: CodePart["kind"]) => {
    if (text !== "") parts.push({ text, kind });
  };
  BEGINS.lastIndex = 0;
  for (let begun = BEGINS.exec(line); begun; begun = BEGINS.exec(line)) {
    const [sign] = begun;
    const kind = sign in QUOTED ? "string" : /^[#/]/.test(sign) ? "comment" : "keyword";
    const after = BEGINS.lastIndex;
    const end = kind === "string" ? ends.string(sign, after) : kind === "comment" ? ends.comment(after) : after;
    BEGINS.lastIndex = end < 0 ? begun.index + 1 : end;
    if (end < 0) continue;
    add(line.slice(at, begun.index), "plain");
    add(line.slice(begun.index, end), kind);
    at = end;
  }
  add(line.slice(at), "plain");
  return parts;
}

/**
 * Where strings and comments of a line end; -1 if nowhere. A closing sign that is missing is not searched for
 * repeatedly.
 */
class LineEnds {
  /** By quotation mark, the place up to which none closes a string. */
  private readonly open = new Map<string, number>();
  /**
   * The last line break of another kind, such as a carriage return. A comment that does not reach the end of the text
   * is not treated as one.
   */
  private readonly lastBreak: number;

  constructor(private readonly line: string) {
    this.lastBreak = Math.max(...["\r", "\u2028", "\u2029"].map((sign) => line.lastIndexOf(sign)));
  }

  string(sign: string, from: number): number {
    const quoted = QUOTED[sign];
    if (!quoted || from <= (this.open.get(sign) ?? -1)) return -1;
    quoted.lastIndex = from;
    quoted.test(this.line);
    if (this.line[quoted.lastIndex] === sign) return quoted.lastIndex + 1;
    this.open.set(sign, quoted.lastIndex);
    return -1;
  }

  comment(from: number): number {
    return this.lastBreak < from ? this.line.length : -1;
  }
}
