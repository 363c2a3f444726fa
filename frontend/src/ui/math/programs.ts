/** Programs within text: blocks of Python without a fence, and steps that are lines of a program. Pure. */
import type { Rule } from "./segmentKinds";

const IMPORTS = /(?:(?:from|import) .+\n+)*/y;
const DEFINITION = /(?:def|class) \w.*:[ \t]*\n(?:[ \t]+.*(?:\n|$)|[ \t]*\n)+/my;

/** A function or class with the imports above it. If neither follows the imports, their lines are not tried again. */
export const pythonBlock: Rule = (cursor) => {
  const { text, at } = cursor;
  if (at > 0 && text[at - 1] !== "\n") return null;
  if (at < cursor.imports || !/^(?:from|import|def|class) /.test(text.slice(at, at + 8))) return null;
  IMPORTS.lastIndex = at;
  IMPORTS.test(text);
  const below = IMPORTS.lastIndex;
  DEFINITION.lastIndex = below;
  if (!DEFINITION.test(text)) {
    cursor.imports = below;
    return null;
  }
  let end = DEFINITION.lastIndex;
  while (text[end - 1] === "\n") end -= 1;
  const body = text.slice(at, end);
  return { segments: [{ kind: "code", text: body, language: "python", source: body }], end };
};

const CODE_LINE =
  /^(?:def |class |from \w[\w.]* import |import \w|return\b|@\w|print\(|[\w.[\], ]+ [-+*/]?= \S|#|"""|>>> )/;
const BLOCK = /^(?:if|elif|while|for|with|except|try|else)\b/;

/** Does the step open a block, such as `if x:  # so`? Only a comment may follow its colon. */
function opensBlock(step: string): boolean {
  const line = BLOCK.test(step) ? (/^.*/.exec(step)?.[0] ?? "") : "";
  const rest = step.slice(line.length);
  if (rest === "") return /:\s*(?:#.*)?$/.test(line);
  return line.trimEnd().endsWith(":") && /^\s*(?:#.*)?$/.test(rest);
}

/** Which steps of a trace are lines of a program (indentation kept, fixed width)? All false for a trace of prose. */
export function codeSteps(steps: readonly string[]): boolean[] {
  const indented = steps.map((step) => /^(?: {2,}|\t)\S/.test(step) && !step.trim().includes("\n"));
  const isLine = (step: string) => !step.includes("\n") && (CODE_LINE.test(step) || opensBlock(step));
  const code = steps.map((step, index) => indented[index] || isLine(step));
  const isProgram =
    steps.some((step) => /^\s*(?:def|class|return|import|from|for|while|if)\b/.test(step)) &&
    indented.filter(Boolean).length >= Math.max(2, steps.length * 0.25);
  return isProgram ? code : steps.map(() => false);
}
