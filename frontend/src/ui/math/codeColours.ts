/** The words, strings and remarks of a line of a program, told apart roughly and in any language. Pure. */

export interface CodePart {
  text: string;
  kind: "plain" | "keyword" | "string" | "comment";
}

const KEYWORDS =
  "and|as|assert|async|await|bool|boolean|break|case|catch|char|class|const|continue|def|default|del|do|double|elif|else|" +
  "except|extends|false|False|final|finally|float|fn|for|from|func|function|global|if|import|in|int|interface|is|" +
  "lambda|let|long|match|new|None|nonlocal|not|null|nullptr|or|package|pass|print|private|public|raise|return|self|" +
  "static|string|struct|super|switch|this|throw|true|True|try|type|using|var|void|while|with|yield";
const PARTS = new RegExp(
  `("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`[^\`]*\`)|(#(?!include).*$|//.*$)|\\b(${KEYWORDS})\\b`,
  "g",
);

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
