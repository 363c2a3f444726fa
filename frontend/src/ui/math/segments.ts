/**
 * Splits text from a model into its kinds: prose, TeX, code, calculator marks. Pure; `MathText.tsx` decides what a
 * segment looks like. Every character of the text is in some segment's `source`, in order (the tests check this).
 *
 * Single dollars are the hard part ("$5 and $7" is money): `prose.ts` judges each pair.
 */
import { endOfFormula } from "./acrossSteps";
import { isMathEnvironment, normaliseEnvironment } from "./environments";
import { boldItalicOf, horizontalRule, image, italicOf, linkOf, listItem, styled, tableOf } from "./markdown";
import { pythonBlock } from "./programs";
import { proseWords, readsLikeFormula } from "./prose";
import { type Cursor, cursorAt, type Ends, findUnescaped, lineEnd } from "./scan";
import type { Rule, Segment } from "./segmentKinds";

function math(tex: string, display: boolean, source: string): Segment[] {
  return [{ kind: "math", tex: tex.trim(), display, bold: false, source }];
}

function delimited(open: string, close: string, display: boolean): Rule {
  return ({ text, at, never }) => {
    if (!text.startsWith(open, at) || never.has(close)) return null;
    const end = findUnescaped(text, close, at + open.length);
    if (end < 0) {
      never.add(close);
      return null;
    }
    const tex = text.slice(at + open.length, end);
    if (tex.trim() === "") return null;
    return {
      segments: math(tex.replace(/\n\s*\n/g, "\n"), display, text.slice(at, end + close.length)),
      end: end + close.length,
    };
  };
}

function marker(text: string, source: string): Segment[] {
  return [{ kind: "marker", text, bold: false, source }];
}

/**
 * A formula that this text opens and another text closes. It extends to the end of its paragraph (inline: of its line)
 * if that reads like a formula.
 */
function unclosed(open: string, close: string, display: boolean): Rule {
  const opened = `${open} opened`;
  return ({ text, at, never }) => {
    if (!text.startsWith(open, at) || !never.has(close) || never.has(opened)) return null;
    never.add(opened);
    const from = at + open.length;
    const end = display ? paragraphEnd(text, from) : lineEnd(text, from);
    const source = text.slice(at, end);
    const tex = text.slice(from, end);
    if (tex.trim() === "") return display ? { segments: marker(open, source), end } : null;
    return readsLikeFormula(tex) ? { segments: math(tex, display, source), end } : null;
  };
}

function paragraphEnd(text: string, from: number): number {
  const gap = text.slice(from).search(/\n[ \t]*\n/);
  return gap < 0 ? text.length : from + gap;
}

/** `\]` or `\)` that closes a formula opened in an earlier step. */
const strayCloser: Rule = ({ text, at }) => {
  const source = /^\\[\])]/.exec(text.slice(at, at + 2))?.[0];
  return source ? { segments: marker(source, source), end: at + 2 } : null;
};

const singleDollar: Rule = ({ text, at, dollars }) => {
  const end = text[at] === "$" ? dollars.formulaEnd(at) : -1;
  if (end < 0) return null;
  return { segments: math(text.slice(at + 1, end), false, text.slice(at, end + 1)), end: end + 1 };
};

const environment: Rule = ({ text, at, ends }) => {
  const name = /^\\begin\{([A-Za-z]+\*?)\}/.exec(text.slice(at, at + 40))?.[1];
  if (!name || !isMathEnvironment(name)) return null;
  const end = ends.environment(at);
  if (end < 0) return null;
  const source = text.slice(at, end);
  return { segments: math(normaliseEnvironment(source.replace(/\n\s*\n/g, "\n")), true, source), end };
};

const SPACES = /\s*/y;

/** `\boxed{…}` and a few commands that models write without dollars. */
const bareCommand: Rule = ({ text, at, ends }) => {
  const match = /^\\(boxed|fbox|d?frac|tfrac|sqrt|d?binom|mathbf|mathbb|mathrm|vec)(?![A-Za-z])/.exec(
    text.slice(at, at + 12),
  );
  if (!match) return null;
  const wanted = /frac|binom/.test(match[1] ?? "") ? 2 : 1;
  let end = at + match[0].length;
  const option = /^\s*\[[^\]\n]{0,40}\]/.exec(text.slice(end, end + 44));
  if (option && match[1] === "sqrt") end += option[0].length;
  for (let taken = 0; taken < wanted; taken += 1) {
    SPACES.lastIndex = end;
    const after = SPACES.exec(text)?.[0].length ?? 0;
    if (text[end + after] === "{") {
      const close = ends.brace(end + after);
      if (close < 0) return null;
      end = close + 1;
    } else if (/[0-9A-Za-z]/.test(text[end + after] ?? "") && /frac|sqrt|binom/.test(match[1] ?? "")) end += after + 1;
    else return null;
  }
  const source = text.slice(at, end);
  return { segments: math(source.replace(/(^|[^\\])\$/g, "$1\\$"), false, source), end };
};

const BARE_SYMBOL =
  /^\\(?:times|cdot|cdots|ldots|dots|div|pm|mp|leq?|geq?|neq?|approx|equiv|infty|pi|theta|alpha|beta|gamma|delta|Delta|lambda|mu|sigma|omega|phi|angle|triangle|circ|in|cup|cap|subset|to|rightarrow|Rightarrow|implies|iff|therefore|quad|qquad)(?![A-Za-z])/;

const bareSymbol: Rule = ({ text, at }) => {
  const source = BARE_SYMBOL.exec(text.slice(at, at + 14))?.[0];
  return source ? { segments: math(source, false, source), end: at + source.length } : null;
};

/**
 * A whole line of TeX without any delimiter, such as the `-\frac{4}5` after `# Answer`; a matrix in it may span more
 * lines.
 */
const bareLine: Rule = ({ text, at, ends }) => {
  if (at > 0 && text[at - 1] !== "\n") return null;
  const { end, plain } = lineWithEnvironments(text, at, ends);
  const line = text.slice(at, end);
  if (!/\\[A-Za-z]{2,}|[\^_]\{/.test(line) || /\\[()[\]]|`|<<|\*\*|\\begin|\\end|\\item/.test(plain)) return null;
  const whole = line.trimEnd();
  const tail = /\$?[.,;]?$/.exec(whole.slice(-2))?.[0] ?? "";
  const tex = whole.slice(0, whole.length - tail.length);
  if (tex === "" || proseWords(plain) > 0 || ends.hasBareDollar(at, at + tex.length)) return null;
  const segments = math(normaliseEnvironment(tex), plain.length < line.length, line);
  if (tail.endsWith(".") || tail.endsWith(",") || tail.endsWith(";")) {
    const first = segments[0];
    if (first) first.source = tex;
    segments.push({ kind: "text", text: tail.slice(-1), bold: false, source: line.slice(tex.length) });
  }
  return { segments, end };
};

/** Where the line at `at` ends, and the part of it that is outside the environments in it. */
function lineWithEnvironments(text: string, at: number, found: Ends): { end: number; plain: string } {
  const ends = lineEnd(text, at);
  const plain = text.slice(at, ends);
  const begin = /\\begin\{([A-Za-z]+\*?)\}/.exec(plain);
  const name = begin?.[1] ?? "";
  // A line that begins with an environment is left to the environment rule.
  if (begin === null || begin.index === 0 || !isMathEnvironment(name)) return { end: ends, plain };
  const closed = found.environment(at + begin.index);
  if (closed < 0) return { end: ends, plain };
  const end = lineEnd(text, closed);
  return { end, plain: `${plain.slice(0, begin.index)} ${text.slice(closed, end)}` };
}

const fence: Rule = ({ text, at }) => {
  const sign = text.startsWith("```", at) ? "```" : "~~~";
  if (!text.startsWith(sign, at) || (sign === "~~~" && at > 0 && text[at - 1] !== "\n")) return null;
  const head = /^(?:```|~~~)([A-Za-z0-9+#-]*)[ \t]*\n?/.exec(text.slice(at, at + 60));
  if (!head) return null;
  const start = at + head[0].length;
  const close = text.indexOf(sign, start);
  const end = close < 0 ? text.length : close + 3;
  const body = text.slice(start, close < 0 ? text.length : close).replace(/\n$/, "");
  const source = text.slice(at, end);
  if (body.trim() === "") return { segments: marker(source.trim(), source), end };
  return {
    segments: [{ kind: "code", text: body, language: head[1] ?? "", source }],
    end,
  };
};

const asymptote: Rule = ({ text, at }) => {
  if (!text.startsWith("[asy]", at)) return null;
  const close = text.indexOf("[/asy]", at);
  const end = close < 0 ? text.length : close + 6;
  const body = text.slice(at + 5, close < 0 ? text.length : close).trim();
  return {
    segments: [{ kind: "figure", text: body, language: "asymptote", words: "", source: text.slice(at, end) }],
    end,
  };
};

const inlineCode: Rule = ({ text, at }) => {
  const match = text[at] === "`" ? /^(`{1,2})([^`\n]+)\1(?!`)/.exec(text.slice(at, at + 2000)) : null;
  if (!match) return null;
  return {
    segments: [{ kind: "inlineCode", text: match[2] ?? "", bold: false, source: match[0] }],
    end: at + match[0].length,
  };
};

/** ``TeX quotes'' outside math. */
const texQuotes: Rule = ({ text, at }) => {
  const match = text.startsWith("``", at) ? /^``([^`'\n]{1,300})''/.exec(text.slice(at, at + 310)) : null;
  if (!match) return null;
  const inner = segmentInline(match[1] ?? "");
  return {
    segments: [
      { kind: "text", text: "“", bold: false, source: "``" },
      ...inner,
      { kind: "text", text: "”", bold: false, source: "''" },
    ],
    end: at + match[0].length,
  };
};

const calculator: Rule = ({ text, at }) => {
  const match = text.startsWith("<<", at) ? /^<<([^<>\n=]*=[^<>\n]*)>>/.exec(text.slice(at, at + 240)) : null;
  if (!match) return null;
  return { segments: [{ kind: "calculator", text: match[1] ?? "", source: match[0] }], end: at + match[0].length };
};

const bold: Rule = ({ text, at }) => {
  if (!text.startsWith("**", at) || /\w/.test(text[at - 1] ?? "")) return null;
  const match = /^\*\*(?=\S)([^\n]*?\S)\*\*(?!\w)/.exec(text.slice(at, at + 1000));
  if (!match) return null;
  return { segments: styled(segmentInline(match[1] ?? ""), "**", "**", { bold: true }), end: at + match[0].length };
};

const heading: Rule = ({ text, at }) => {
  if (at > 0 && text[at - 1] !== "\n") return null;
  const match = /^(#{1,6} +)([^\n]+)/.exec(text.slice(at, at + 600));
  if (!match) return null;
  return {
    segments: styled(segmentInline(match[2] ?? ""), match[1] ?? "", "", { bold: true }),
    end: at + match[0].length,
  };
};

/** Escapes of plain characters in Markdown and TeX: `\$1.24`, `n\_oil`, `70\%`. */
const escaped: Rule = ({ text, at }) => {
  const character = /^\\([$%_*#&{}])/.exec(text.slice(at, at + 2))?.[1];
  if (!character) return null;
  return { segments: [{ kind: "text", text: character, bold: false, source: `\\${character}` }], end: at + 2 };
};

const NEWLINES = /(?:[ \t]*\r?\n)+/y;

const newline: Rule = ({ text, at }) => {
  NEWLINES.lastIndex = at;
  const match = text[at] === "\n" || text[at] === "\r" ? NEWLINES.exec(text) : null;
  if (!match) return null;
  const count = match[0].split("\n").length - 1;
  return { segments: [{ kind: "newline", count, source: match[0] }], end: at + match[0].length };
};

const INLINE_RULES: Rule[] = [
  delimited("$$", "$$", true),
  unclosed("$$", "$$", true),
  singleDollar,
  delimited("\\(", "\\)", false),
  unclosed("\\(", "\\)", false),
  delimited("\\[", "\\]", true),
  unclosed("\\[", "\\]", true),
  strayCloser,
  environment,
  bareCommand,
  bareSymbol,
  escaped,
  inlineCode,
  texQuotes,
  calculator,
  image,
  linkOf(segmentInline),
  italicOf(segmentInline),
];
const CELL_RULES: Rule[] = [boldItalicOf(segmentInline), bold, ...INLINE_RULES];
const RULES: Rule[] = [
  fence,
  asymptote,
  pythonBlock,
  heading,
  horizontalRule,
  tableOf((cell) => scan(cell, CELL_RULES)),
  listItem,
  bareLine,
  boldItalicOf(segmentInline),
  bold,
  newline,
  ...INLINE_RULES,
];

const SPECIAL = /[$\\`<[*_!\n\r]/g;

function nextSpecial(text: string, from: number): number {
  SPECIAL.lastIndex = from;
  return SPECIAL.exec(text)?.index ?? text.length;
}

function scan(text: string, rules: Rule[]): Segment[] {
  const segments: Segment[] = [];
  const cursor = cursorAt(text);
  while (cursor.at < text.length) {
    const { at } = cursor;
    const found = firstMatch(rules, cursor);
    if (found) for (const segment of found.segments) segments.push(segment);
    else appendText(segments, text.slice(at, nextSpecial(text, at + 1)));
    cursor.at = found?.end ?? nextSpecial(text, at + 1);
  }
  return segments;
}

function firstMatch(rules: Rule[], cursor: Cursor): { segments: Segment[]; end: number } | null {
  for (const rule of rules) {
    const found = rule(cursor);
    if (found) return found;
  }
  return null;
}

function appendText(segments: Segment[], text: string): void {
  const last = segments.at(-1);
  if (last?.kind === "text" && !last.bold && !last.italic) {
    last.text += text;
    last.source += text;
  } else segments.push({ kind: "text", text, bold: false, source: text });
}

function segmentInline(text: string): Segment[] {
  return scan(text, INLINE_RULES);
}

/**
 * Split `text` into segments; `within` is what closes the formula that it begins in. Takes linear time
 * (`hostileTexts.test.ts`) and never throws.
 */
export function segment(text: string, within: string | null = null): Segment[] {
  if (within === null) return scan(text, RULES);
  const end = endOfFormula(text, within);
  const source = end < 0 ? text : text.slice(0, end + within.length);
  const tex = end < 0 ? text : text.slice(0, end);
  const began: Segment[] =
    tex.trim() === "" ? marker(source.trim(), source) : math(tex.replace(/\n\s*\n/g, "\n"), true, source);
  return [...(source === "" ? [] : began), ...scan(text.slice(source.length), RULES)];
}

/** Does the text contain a figure that the page cannot draw? */
export function hasFigure(text: string): boolean {
  return segment(text).some((part) => part.kind === "figure");
}
