/** The words, strings and remarks of a line of a program, told apart roughly and in any language. Pure. */

export interface CodePart {
  text: string;
  kind: "plain" | "keyword" | "string" | "comment";
}

const KEYWORDS =
  "and|as|assert|async|await|bool|boolean|break|case|catch|char|class|const|continue|def|default|del|do|double|elif|else|" +
  "except|extends|false|False|final|finally|float|fn|for|from|func|function|global|if|import|in|int|interface|is|" +
  "lambda|let|new|None|nonlocal|not|null|nullptr|or|package|pass|print|private|public|raise|return|self|" +
  "static|struct|super|switch|this|throw|true|True|try|type|using|var|void|while|with|yield";
const PARTS = new RegExp(
  `("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`[^\`]*\`)|(#(?!include).*$|//.*$)|\\b(${KEYWORDS})\\b`,
  "g",
);

/** A sentence, as in a string that another step opened. */
const PROSE = /^\s*[A-Z]\S*(\s+\S+){3,}/;
const TRIPLE = /"""|'''/g;

/** The parts of each line of a text; a string in triple quotes may go on over many. */
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

/** Joined again, the parts are the line. */
export function codeParts(line: string): CodePart[] {
  const parts: CodePart[] = [];
  let at = 0;
  const add = (text: string, kind: CodePart["kind"]) => {
    if (text !== "") parts.push({ text, kind });
  };
  for (const match of line.matchAll(PARTS)) {
    add(line.slice(at, match.index), "plain");
    add(match[0], match[1] !== undefined ? "string" : match[2] !== undefined ? "comment" : "keyword");
    at = match.index + match[0].length;
  }
  add(line.slice(at), "plain");
  return parts;
}
