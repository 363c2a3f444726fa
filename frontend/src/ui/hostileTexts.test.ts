import { render } from "@testing-library/react";
import { createElement } from "react";
import { expect, test } from "vitest";
import { markdownToHtml } from "./markdownToHtml";
import { formulasAcrossSteps } from "./math/acrossSteps";
import { codeLines } from "./math/codeColours";
import { textOf } from "./math/copyText";
import { normaliseColumns, normaliseEnvironment } from "./math/environments";
import { MathText } from "./math/MathText";
import { partedAtMinus } from "./math/minus";
import { codeSteps } from "./math/programs";
import { segment } from "./math/segments";
import { texSymbols } from "./math/texSymbols";
import { wordSymbols } from "./math/wordSymbols";
import { readable } from "./readable";
import { ansiPieces } from "./run/ansi";
import { splitAnswer } from "./trace/pathWords";

/** Pieces that are repeated until the text is long. */
const REPEATED = [
  ...[
    "from a\n",
    "import a\n\n",
    "class a\n",
    "class a",
    "def a(:",
    "def f():\n",
    "from a\nclass a:\n",
    "if :#",
    '"',
    '\\"',
  ],
  ...[
    "'",
    "//",
    "# ",
    "#\n",
    "$",
    "$5 ",
    "${",
    "${a ",
    "$}",
    "$$",
    "$$\n",
    "\\(",
    "\\( ",
    "\\[",
    "\\[ x\n",
    "\\]",
    "\\\\",
  ],
  ...[
    "`",
    "``",
    "`a",
    "``a''",
    "```",
    "~~~\n",
    "[",
    "[a](",
    "[a](/",
    "![",
    "![a](",
    "{",
    "}",
    "|",
    "|\n",
    "a|b\n",
    "-|-\n",
  ],
  ...[
    "a|b\n-|-\n",
    "<",
    "<<=",
    "<b>",
    "*",
    "**",
    "**a ",
    "***\n",
    "_",
    "_a ",
    " ",
    "\t",
    "\n",
    "\n ",
    "\r",
    "- 2a\n",
    "-",
  ],
  ...[
    "–-",
    "0",
    "1,",
    "1/",
    "1.",
    "\\begin{matrix}",
    "x \\begin{matrix}\n",
    "`\\begin{matrix}`\n",
    "\\begin{tabular}{c}",
  ],
  ...["\\begin{array}{", "\\boxed{", "\\frac{", "\\frac{a}", "\\text{", "\\cline{", "\\multicolumn{1}{c}{", "&", "%"],
  ...["[asy]", "\u001b]", "\u0301", "\u0301\u200b", "\u200b", "\u2029", "http://", "a@b.", "# Answer\n", "the cat "],
];

const repeat = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length));
type Text = [name: string, ofSize: (size: number) => string];
const TEXTS: Text[] = [
  ...REPEATED.flatMap((piece): Text[] => [
    [JSON.stringify(piece), (size) => repeat(piece, size)],
    [`${JSON.stringify(piece)} after TeX and before words`, (size) => `\\alpha ${repeat(piece, size)}and so it is $}`],
  ]),
  ...(
    [
      ["${a ", " the cat ate the old man and the dog had it ", "$} "],
      ["`\\begin{matrix}`\n", "", "\\end{matrix}\n"],
      ["x \\begin{matrix} $a$\n", "$", "\\end{matrix}\n"],
      ["a|b\n-|-\n", "", "|"],
      ["|", "\n|-|\n", "|\n"],
      ["if :#", "", "\r"],
      ["def f():\n a\n", "", "\n"],
      ["\\begin{tabular}{c}\\cline{", "", "\\end{tabular}"],
      ["[a \\begin{align} b](www.a)\n", "$", "\\end{align}"],
      ["\u0301\u200d", "", "a\u0301"],
    ] as const
  ).map(([first, between, last]): Text => {
    const name = [first, between, last].map((part) => JSON.stringify(part)).join(", ");
    return [name, (size) => repeat(first, size / 2) + between + repeat(last, size / 2)];
  }),
  [
    "a table of one row of bars and many short ones",
    (size) => `a|b\n-|-\n${repeat("|", size / 2)}\n${repeat("|\n", size / 2)}`,
  ],
];

const inTabular = (text: string) => `\\begin{tabular}{c}${text}\\end{tabular}`;
const linesOf = (text: string) => text.match(/[^\n]{0,40}\n?/g) ?? [];

/** The functions that read texts from outside, each with the length of the longer of two texts. */
const READERS: [name: string, size: number, read: (text: string) => unknown][] = [
  ["cut into segments", 24_000, (text) => segment(text)],
  ["cut into segments within a formula", 24_000, (text) => segment(text, "\\]")],
  ["kept together at minus signs", 48_000, partedAtMinus],
  ["shown as a program", 24_000, (text) => codeLines(text)],
  ["asked whether it is a program", 24_000, (text) => codeSteps(["def f():", "  a", "  b", text, ...linesOf(text)])],
  ["looked through for formulas across steps", 24_000, (text) => formulasAcrossSteps(linesOf(text))],
  ["looked through for symbols", 24_000, (text) => [wordSymbols(text, false), wordSymbols(text, true)]],
  ["made readable", 48_000, (text) => readable(text)],
  ["read as Markdown", 16_000, (text) => markdownToHtml(text)],
  ["read as a terminal's", 24_000, (text) => ansiPieces(text)],
  ["parted from its answer", 48_000, (text) => splitAnswer(text)],
  ["copied", 24_000, (text) => textOf(document.createTextNode(text))],
  [
    "made TeX that can be set",
    24_000,
    (text) => [text, inTabular(text)].map((tex) => normaliseColumns(normaliseEnvironment(tex))),
  ],
];

const TIMES = 8;
/** Linear is 8, quadratic 64; reading slows down a little when it fills the caches. */
const MOST = 40;
/** Below this, the time cannot be told apart from the compiler's work. */
const FLOOR_MS = 5;
const TRIES = 4;

/** Processor time, because other work may run on the machine. */
function cost(work: () => unknown): number {
  const { process } = globalThis as unknown as { process: { cpuUsage: () => { user: number } } };
  const begun = process.cpuUsage().user;
  work();
  return (process.cpuUsage().user - begun) / 1_000;
}

/** How much longer it takes to read eight times as much; the best of a few tries. */
function growth(read: (text: string) => unknown, [, ofSize]: Text, size: number): number {
  let [short, long] = [FLOOR_MS, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < TRIES && long / short > MOST; turn += 1) {
    const [small, large] = [ofSize(size / TIMES), ofSize(size)];
    short = Math.max(
      short,
      cost(() => read(small)),
    );
    long = Math.min(
      long,
      cost(() => read(large)),
    );
  }
  return long / short;
}

test.each(READERS)(
  "a hostile text that is %s takes time that grows with its length, not with its square",
  (_name, size, read) => {
    const slow = TEXTS.map((text) => [text[0], growth(read, text, size)] as const).filter(([, times]) => times > MOST);
    expect(slow).toEqual([]);
  },
  120_000,
);

test("the symbols of fractions in fractions are found, each read once", () => {
  const nested = (depth: number) => `${"\\frac{".repeat(depth)}12${"}{5}".repeat(depth)}`;
  expect(cost(() => texSymbols(nested(60)))).toBeLessThan(2_000); // reading twice at each depth would never end
  expect(texSymbols(nested(2)).symbols.map(({ key }) => key)).toEqual(["12/5", "12", "5", "5"]);
});

/** Pieces that create many elements from few characters. */
const PIECES = [
  ...[
    "$x^{2}$ ",
    "$\\x$ ",
    "a\n",
    "a\n\n",
    "- a\n",
    "1. a\n",
    "- a\n  - b\n",
    "`a` ",
    "*a* ",
    "**aa** ",
    "[a](/b) ",
    "# a\n",
  ],
  ...[
    "---\n",
    "-1 ",
    "<<1=1>>1 ",
    "\\] ",
    "```\na\n```\n",
    "> a\n\n",
    "a@b.cc ",
    "https://a.b/c ",
    "``a'' ",
    "![a](b) ",
    "\\$ ",
  ],
  ...["|a|b|\n|-|-|\n|1|2|\n\n", "if "],
];
const LARGE: Text[] = [
  ...PIECES.map((piece): Text => [JSON.stringify(piece), (size) => repeat(piece, size)]),
  ["a table of many rows", (size) => `|a|b|c|d|\n|-|-|-|-|\n${repeat("|1|2|3|4|\n", size)}`],
  [
    "a table of many columns",
    (size) => `|${repeat("a|", size / 5)}\n|${repeat("-|", size / 5)}\n${repeat("|1|\n", size / 5)}`,
  ],
  ["a row of many cells", (size) => `|a|b|\n|-|-|\n|${repeat("a|", size)}`],
  ["a program", (size) => `\`\`\`\n${repeat("if ", size)}`],
];
const MOST_ELEMENTS = { text: 30_000, Markdown: 70_000, plain: 12_000 };

test.each(LARGE)(
  "of 60 kB of %s no more is drawn than a page can bear, and nothing of it is lost",
  (name, ofSize) => {
    const text = ofSize(60_000);
    const set = render(createElement(MathText, { text })).container;
    const read = document.createElement("div");
    read.innerHTML = markdownToHtml(text);
    for (const [drawn, most] of [
      [set, MOST_ELEMENTS.text],
      [read, MOST_ELEMENTS.Markdown],
    ] as const) {
      expect(drawn.querySelectorAll("*").length).toBeLessThan(most);
      if (drawn.querySelector(".katex") === null)
        expect(drawn.querySelectorAll("*").length).toBeLessThan(MOST_ELEMENTS.plain);
    }
    const letters = (words: string) => words.replace(/[^A-Za-z]/g, "").length;
    if (set.querySelector(".katex") === null) {
      expect(letters(set.textContent ?? "")).toBeGreaterThanOrEqual(0.75 * letters(text));
      // Markdown keeps only as many cells of a row as its heading has, however many there are.
      if (name !== "a row of many cells")
        expect(letters(read.textContent ?? "")).toBeGreaterThanOrEqual(0.75 * letters(text));
    }
    set.remove();
  },
  120_000,
);

test("ordinary guidelines are drawn as a whole", () => {
  const section =
    "## Rule\n\nSee $x_1^2 = \\frac{a}{b}$ at https://example.org/a, and *so* `on`.\n\n- a\n- b\n\n|a|b|\n|-|-|\n|1|$y$|\n\n";
  const read = document.createElement("div");
  read.innerHTML = markdownToHtml(section.repeat(200));
  expect(read.querySelectorAll(".katex")).toHaveLength(400);
  expect(read.querySelectorAll("a")).toHaveLength(200);
  expect(read.querySelectorAll("td")).toHaveLength(400);
  expect(read.querySelector("details, pre")).toBeNull();
  const addresses = document.createElement("div");
  addresses.innerHTML = markdownToHtml("a@b.cc ".repeat(3_000));
  expect(addresses.querySelectorAll("a")).toHaveLength(1_000);
  expect(addresses.textContent?.trim()).toBe("a@b.cc ".repeat(3_000).trim());
});
