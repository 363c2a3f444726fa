import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formulasAcrossSteps } from "./acrossSteps";
import { codeSteps } from "./programs";
import { renderTex } from "./renderTex";
import { segment } from "./segments";

/**
 * A compact notation of the segments: T text, B bold text, M inline math, D display math, C code, F figure, K inline
 * code, = calculator, S a sign that opens or closes something in another step, N newline.
 */
function notation(text: string): string[] {
  return segment(text).map((part) => {
    if (part.kind === "text") return `${part.italic ? "i" : ""}${part.bold ? "B" : "T"}:${part.text}`;
    if (part.kind === "math") return `${part.display ? "D" : "M"}:${part.tex}`;
    if (part.kind === "code") return `C:${part.text}`;
    if (part.kind === "figure") return `F:${part.text}`;
    if (part.kind === "item") return `${"-".repeat(part.depth)}I:${part.mark}`;
    if (part.kind === "link") return `L:${part.words.map((one) => one.source).join("")} ${part.address}`;
    if (part.kind === "table")
      return `G:${part.rows.map((row) => row.map((cell) => cell.map((one) => `${one.kind[0]}${one.source}`).join("")).join("|")).join("/")}`;
    if (part.kind === "rule") return "R";
    if (part.kind === "inlineCode") return `K:${part.text}`;
    if (part.kind === "calculator") return `=:${part.text}`;
    if (part.kind === "marker") return `S:${part.text}`;
    return part.kind === "newline" ? `N:${part.count}` : "";
  });
}

const TABLE: [string, string, string[]][] = [
  ["a list", "- a\n  - b\n2) c", ["I:•", "T:a", "N:1", "-I:•", "T:b", "N:1", "I:2)", "T:c"]],
  ["a minus is no dash", "- 7) = -34\n- = 5", ["T:- 7) = -34", "N:1", "T:- = 5"]],
  ["a step that begins with a number", "3.5 is it", ["T:3.5 is it"]],
  ["italics", "an *even* and _odd_ number", ["T:an ", "iT:even", "T: and ", "iT:odd", "T: number"]],
  ["products are no italics", "2*3*4 = a*b*c and x_1 or y_2", ["T:2*3*4 = a*b*c and x_1 or y_2"]],
  ["stars around a sum are no italics", "5 *x = y* 3, *2*", ["T:5 *x = y* 3, *2*"]],
  ["bold italics", "***so***", ["iB:so"]],
  ["names in code are no italics", "call __init__ and _x_y", ["T:call __init__ and _x_y"]],
  ["a blank to fill in", "It is ____ apples.", ["T:It is ____ apples."]],
  ["a link", "see [it](https://a.org/b_(c)).", ["T:see ", "L:it https://a.org/b_(c)", "T:."]],
  ["brackets and a product are no link", "[2](3) + f[x](y)", ["T:[2](3) + f[x](y)"]],
  ["an image", "![A square](fig1.png)", ["F:fig1.png"]],
  ["a factorial before a bracket", "5![x]", ["T:5![x]"]],
  ["a fence of tildes", "~~~py\nx = 1\n~~~\nSo", ["C:x = 1", "N:1", "T:So"]],
  ["tildes within a line", "about ~~~5", ["T:about ~~~5"]],
  ["a table", "| a | $|b|$ |\n|---|:-:|\n| 1 | **2** | 3 |\nEnd", ["G:ta|m$|b|$|/t1|t**2**|t3", "N:1", "T:End"]],
  ["absolute values are no table", "|x| + |y|\n-5", ["T:|x| + |y|", "N:1", "T:-5"]],
  ["a rule", "a\n---\nb", ["T:a", "N:1", "R", "N:1", "T:b"]],
  ["plain text", "No math here.", ["T:No math here."]],
  ["inline dollars", "So $x^2$ is 4.", ["T:So ", "M:x^2", "T: is 4."]],
  ["two formulas", "$a$ and $b$", ["M:a", "T: and ", "M:b"]],
  ["two amounts of money", "Between $5 and $7 each.", ["T:Between $5 and $7 each."]],
  ["one amount of money", "It costs $5.", ["T:It costs $5."]],
  ["money after an operator", "5*$3=$15 a day", ["T:5*$3=$15 a day"]],
  ["a range of money", "a price of $5-$7", ["T:a price of $5-$7"]],
  [
    "money with decimals and a sentence",
    "cost $90 and $1.5 each. It costs $3 a year",
    ["T:cost $90 and $1.5 each. It costs $3 a year"],
  ],
  ["money in brackets, then a formula", "$5 (or $x$ dollars)", ["T:$5 (or ", "M:x", "T: dollars)"]],
  ["money and a formula", "He has $20 and $y$ coins", ["T:He has $20 and ", "M:y", "T: coins"]],
  ["a number as a formula", "the integer $5$ is", ["T:the integer ", "M:5", "T: is"]],
  ["a product as a formula", "is $2x$.", ["T:is ", "M:2x", "T:."]],
  ["a formula with its comma inside", "the numbers $2x + 2,$ $x$", ["T:the numbers ", "M:2x + 2,", "T: ", "M:x"]],
  ["two amounts with a comma between", "costs $5,$6 or more", ["T:costs $5,$6 or more"]],
  ["numbers with a unit as a formula", "is $5 \\text{ cm}$ long", ["T:is ", "M:5 \\text{ cm}", "T: long"]],
  ["spaces inside the dollars", "where $ x = 5 $ holds", ["T:where ", "M:x = 5", "T: holds"]],
  ["a trailing space before the dollar", "so $x = $ 5", ["T:so ", "M:x =", "T: 5"]],
  ["products of letters", "so $ab + bc + ca = 5$ is", ["T:so ", "M:ab + bc + ca = 5", "T: is"]],
  ["products in brackets", "Expand: $(r+1)=rst+(rs+rt+st)$.", ["T:Expand: ", "M:(r+1)=rst+(rs+rt+st)", "T:."]],
  ["prose between two dollars", "is $up to you and us$ now", ["T:is $up to you and us$ now"]],
  ["a single letter with spaces", "let $ n $ be", ["T:let ", "M:n", "T: be"]],
  ["an unclosed dollar", "so $x^2 is", ["T:so $x^2 is"]],
  ["an unclosed dollar and a paragraph", "cost $5\n\nand $x$", ["T:cost $5", "N:2", "T:and ", "M:x"]],
  ["escaped money outside", "pays \\$1.24 for", ["T:pays ", "T:$1.24 for"]],
  ["escaped money inside", "has $\\$7.50$ to", ["T:has ", "M:\\$7.50", "T: to"]],
  ["escaped money in brackets", "\\( 5 \\times \\$30 \\)", ["M:5 \\times \\$30"]],
  ["display dollars", "Then $$x = 1$$ holds", ["T:Then ", "D:x = 1", "T: holds"]],
  ["display dollars over lines", "$$\nx\n\n= 1\n$$", ["D:x\n= 1"]],
  ["display dollars that another step closes", "so $$\nx = 1.", ["T:so ", "D:x = 1."]],
  ["display dollars that open at the end", "We get $$", ["T:We get ", "S:$$"]],
  ["unclosed display dollars before prose", "costs $$ or so = much", ["T:costs $$ or so = much"]],
  ["an unclosed formula ends with its paragraph", "\\[x = 1\n\nSo it is.", ["D:x = 1", "N:2", "T:So it is."]],
  ["display dollars alone in a step", "$$", ["S:$$"]],
  ["a bracket that closes an earlier step's formula", "\\]\nSo", ["S:\\]", "N:1", "T:So"]],
  [
    "several matrices after a number",
    "so $3 \\begin{pmatrix} 2 \\\\ -8 \\end{pmatrix} - 2 \\begin{pmatrix} 1 \\\\ -7 \\end{pmatrix}$.",
    ["T:so ", "M:3 \\begin{pmatrix} 2 \\\\ -8 \\end{pmatrix} - 2 \\begin{pmatrix} 1 \\\\ -7 \\end{pmatrix}", "T:."],
  ],
  [
    "money beside an environment",
    "$5 for words and $\\begin{matrix}1\\end{matrix}$",
    ["T:$5 for words and ", "M:\\begin{matrix}1\\end{matrix}"],
  ],
  [
    "an answer tail with a matrix",
    "# Answer\n\n\\mathbf{M} =\n\\begin{pmatrix} 0 & 1 \\\\\n 1 & 0 \\end{pmatrix}.",
    ["B:Answer", "N:2", "M:\\mathbf{M} =", "N:1", "D:\\begin{pmatrix} 0 & 1 \\\\\n 1 & 0 \\end{pmatrix}", "T:."],
  ],
  [
    "a bare line with a matrix over lines",
    "\\mathbf{M} = \\begin{pmatrix} 0 & 1 \\\\\n 1 & 0 \\end{pmatrix}.",
    ["D:\\mathbf{M} = \\begin{pmatrix} 0 & 1 \\\\\n 1 & 0 \\end{pmatrix}", "T:."],
  ],
  ["round brackets", "so \\(x+1\\) is", ["T:so ", "M:x+1", "T: is"]],
  ["square brackets", "so \\[x+1\\] is", ["T:so ", "D:x+1", "T: is"]],
  ["unclosed round bracket", "so \\(x+1 is", ["T:so \\(x+1 is"]],
  ["line breaks with a length inside brackets", "\\[a\\\\[4pt]b\\]", ["D:a\\\\[4pt]b"]],
  ["a dollar inside \\text", "$x \\text{ if $y$}$", ["M:x \\text{ if $y$}"]],
  ["boxed without dollars", "The answer is \\boxed{42}.", ["T:The answer is ", "M:\\boxed{42}", "T:."]],
  ["boxed with nested braces", "so \\boxed{\\frac{1}{2}} ok", ["T:so ", "M:\\boxed{\\frac{1}{2}}", "T: ok"]],
  ["boxed money", "paid: \\boxed{$27,000}", ["T:paid: ", "M:\\boxed{\\$27,000}"]],
  ["an unclosed boxed", "so \\boxed{42", ["T:so \\boxed{42"]],
  [
    "a bare align",
    "We get \\begin{align*}a&=b\\\\c&=d\\end{align*} so",
    ["T:We get ", "D:\\begin{align*}a&=b\\\\c&=d\\end{align*}", "T: so"],
  ],
  [
    "a nested environment",
    "\\begin{array}{c}\\begin{array}{c}1\\end{array}\\end{array}!",
    ["D:\\begin{array}{c}\\begin{array}{c}1\\end{array}\\end{array}", "T:!"],
  ],
  ["an unclosed environment", "see \\begin{align}x", ["T:see \\begin{align}x"]],
  ["an environment that is not math", "\\begin{center}x\\end{center}", ["T:\\begin{center}x\\end{center}"]],
  [
    "a table",
    "\\begin{tabular}{|c|c|}\\hline Roll & $x$ \\\\ \\hline 1 & 2\\end{tabular}",
    ["D:\\begin{array}{|c|c|}\\hline \\text{Roll} &  x \\\\ \\hline 1 &  2\\end{array}"],
  ],
  ["an eqnarray", "\\begin{eqnarray*}a &=& b\\end{eqnarray*}", ["D:\\begin{align*}a &= b\\end{align*}"]],
  ["asymptote", "A figure. [asy]draw((0,0)--(1,1));[/asy] End.", ["T:A figure. ", "F:draw((0,0)--(1,1));", "T: End."]],
  ["unclosed asymptote", "[asy]\ndraw(x);", ["F:draw(x);"]],
  ["a fence", "Code:\n```python\nx = 1\n```\nDone", ["T:Code:", "N:1", "C:x = 1", "N:1", "T:Done"]],
  ["an unclosed fence", "```\nx = $1$", ["C:x = $1$"]],
  ["a fence alone in a step", "```python", ["S:```python"]],
  ["a fence that only closes", "x = 1\n```", ["T:x = 1", "N:1", "S:```"]],
  ["a fence around nothing", "```\n\n```", ["S:```\n\n```"]],
  ["inline code", "call `f(x)` twice", ["T:call ", "K:f(x)", "T: twice"]],
  ["dollars inside inline code", "`$a$`", ["K:$a$"]],
  ["TeX quotes", "say ``hello'' now", ["T:say ", "T:“", "T:hello", "T:” now"]],
  ["a lone backtick", "the ` key", ["T:the ` key"]],
  ["a calculator mark", "60*3=<<60*3=180>>180 in", ["T:60*3=", "=:60*3=180", "T:180 in"]],
  [
    "a calculator mark with money",
    "earns $<<5*3=15>>15 and $<<2*2=4>>4",
    ["T:earns $", "=:5*3=15", "T:15 and $", "=:2*2=4", "T:4"],
  ],
  ["calculator marks after priced factors", "2*$3=$<<2*3=6>>6", ["T:2*$3=$", "=:2*3=6", "T:6"]],
  ["a shift is no calculator mark", "(num & (1 << i)) != 0", ["T:(num & (1 << i)) != 0"]],
  ["bold", "The **total** is", ["T:The ", "B:total", "T: is"]],
  ["bold with a formula", "**Step 1: $x$**", ["B:Step 1: ", "M:x"]],
  ["a power is not bold", "2**3**4", ["T:2**3**4"]],
  ["a heading", "### Step 1\nGo", ["B:Step 1", "N:1", "T:Go"]],
  ["the answer tail of PRM800K", "Done.\n\n# Answer\n\n455", ["T:Done.", "N:2", "B:Answer", "N:2", "T:455"]],
  ["an answer tail of bare TeX", "# Answer\n\n-\\frac{4}5", ["B:Answer", "N:2", "M:-\\frac{4}5"]],
  [
    "a bare line of TeX with a lost dollar",
    "= \\frac{15 \\times 14}{3} = 70$.",
    ["M:= \\frac{15 \\times 14}{3} = 70", "T:."],
  ],
  ["a bare fraction in prose", "about \\frac{1}{2} of it", ["T:about ", "M:\\frac{1}{2}", "T: of it"]],
  ["a bare letter with a face in prose", "is \\mathbf{v}= 3", ["T:is ", "M:\\mathbf{v}", "T:= 3"]],
  ["a bare symbol in prose", "3 \\times 4 apples", ["T:3 ", "M:\\times", "T: 4 apples"]],
  ["escaped braces", "the set \\{1, 2\\}", ["T:the set ", "T:{1, 2", "T:}"]],
  ["escaped underscores", "t\\_oil = 2 \\* n", ["T:t", "T:_oil = 2 ", "T:* n"]],
  ["HTML stays text", "<b>x</b> <script>alert(1)</script>", ["T:<b>x</b> <script>alert(1)</script>"]],
  ["inequalities stay text", "0 < n < 60", ["T:0 < n < 60"]],
  [
    "a Python function in a problem",
    "Write it.\n\ndef f(x):\n    return x\n",
    ["T:Write it.", "N:2", "C:def f(x):\n    return x", "N:1"],
  ],
  [
    "a Python class below its imports",
    "from a import b\n\nimport c\nclass D:\n  pass\n\n\nSo",
    ["C:from a import b\n\nimport c\nclass D:\n  pass", "N:3", "T:So"],
  ],
  ["imports above no definition", "import a\nclass of 1990\n", ["T:import a", "N:1", "T:class of 1990", "N:1"]],
  ["an empty text", "", []],
  ["only dollars", "$$$$", ["T:$$$$"]],
  ["a dollar at the end", "in US$", ["T:in US$"]],
];

/** Lines that begin with a sign, with whether the page shows each as an item. */
const SIGNED: [string, string, string][] = [
  ["codes of flights and seats", "- JG7FMM\n- LQ940Q\n- 2FBBAH\n- X7BYG1", "IIII"],
  ["the list begins with a number", "- 2FBBAH\n- 3D4K9\n- X7BYG1", "III"],
  ["the list ends with numbers", "Seats:\n- aisle\n- 2 of 3 at a window\n- 14:30 at the latest\n- 2024-05-20", "IIII"],
  ["below an item", "* Flight HAT1:\n  * 2 bags\n\n  * 3 sièges\n  * 3 个座位", "IIII"],
  ["numbers and expressions within a list", "- so\n- 5\n- 2x + 3\n- 2ab = 4\n- 2x3\n- = 5.", "I     "],
  ["TeX within a list", "- so\n- 3 \\cdot \\sin x\n- 4 \\text{ apples} = 2\n- 7 mod 3\n- 2 modes", "I   I"],
  ["numbers alone", "10 apples\n- 7 apples\n- 3 pears", "  "],
  ["a list after an empty line", "10 apples\n- 7 apples\n\n- so it is", " I"],
  ["another sign beside it", "* so it is\n- 7 apples\n+ 3 pears", "I  "],
  ["words between", "- so it is\nThere are 10 apples\n- 7 apples", "I "],
];

describe("segment", () => {
  test.each(SIGNED)("a sign before a number: %s", (_name, text, items) => {
    const lines = notation(text)
      .join(" ")
      .split(/ N:\d /);
    const signed = lines.filter((line) => /^(-*I:|\w:[-+*] )/.test(line));
    expect(signed.map((line) => (/^-*I:/.test(line) ? "I" : " ")).join("")).toBe(items);
  });

  test.each(TABLE)("%s", (_name, text, expected) => {
    expect(notation(text)).toEqual(expected);
  });

  test("every character of any text is in exactly one segment", () => {
    const pieces = [
      "$",
      "$$",
      "\\(",
      "\\)",
      "\\[",
      "\\]",
      "\\$",
      "\\boxed{",
      "}",
      "`",
      "```",
      "**",
      "\n",
      "# ",
      "<<1=1>>",
      " ",
      "5",
      "x",
      "[asy]",
      "[/asy]",
      "\\begin{align}",
      "\\end{align}",
      "\\frac{1}2",
      "''",
      "``",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 24 }), (parts) => {
        const text = parts.join("");
        expect(
          segment(text)
            .map((part) => part.source)
            .join(""),
        ).toBe(text);
      }),
      { numRuns: 3_000 },
    );
  });
});

test.each<[string, string[], (string | null)[]]>([
  ["over three steps", ["So $$", "x = 1 \\\\[4pt]", "+ 2 $$ and $$y$$", "End"], [null, "$$", "$$", null]],
  ["brackets", ["so \\[ x", "= 2 \\]", "b"], [null, "\\]", null]],
  ["two after one another", ["$$ a", "b $$ $$ c", "d $$"], [null, "$$", "$$"]],
  ["never closed", ["costs $$", "y = 1", "z"], [null, null, null]],
  ["closed only after words", ["costs $$", "here are some words", "$$"], [null, null, null]],
  ["in code", ["```\n$$", "x $$"], [null, null]],
])("formulas across steps: %s", (_name, steps, expected) => {
  expect(formulasAcrossSteps(steps)).toEqual(expected);
});

test("a step within a formula is TeX up to where that ends, and words from there on", () => {
  const kinds = (text: string) => segment(text, "$$").map(({ kind, source }) => [kind, source]);
  expect(kinds("x^2\n$$ so")).toEqual([
    ["math", "x^2\n$$"],
    ["text", " so"],
  ]);
  expect(kinds("x = y")).toEqual([["math", "x = y"]]);
  expect(kinds("$$")).toEqual([["marker", "$$"]]);
});

describe("codeSteps", () => {
  test("a step of a program is a line of code, with its indentation", () => {
    expect(codeSteps(["def f(n):", "    i = 0", "    while i < n:", "        i += 1", "    return i"])).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
  });
  test("an explanation after the program is prose", () => {
    expect(codeSteps(["def f(n):", "    return n", "    # done", "This function returns its argument."])).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
  test("prose with one indented line is not a program", () => {
    expect(codeSteps(["First, we add.", "  Then we subtract.", "If x is 2, stop.", "So the answer is 3."])).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe("renderTex", () => {
  test("good TeX gives markup and no error", () => {
    expect(renderTex("x^2", false).html).toContain("katex");
  });
  test("bad TeX gives its reason instead of markup", () => {
    expect(renderTex("\\frac{1}", false)).toMatchObject({ html: null });
    expect(renderTex("\\frac{1}", false).error).toBeTruthy();
  });
  test("a percent sign is a percent sign, not a comment", () => {
    expect(renderTex("\\boxed{70%}", false).error).toBeNull();
  });
  test.each([
    "5\\mbox{ cm}",
    "\\begin{array}{r || c * 5 {| c}} 1 & 2 & 3 & 4 & 5 & 6 & 7 \\end{array}",
    "\\begin{array}{c@{}c@{\\;}c} 1 & 2 & 3 \\end{array}",
    "\\begin{tabular}[t]{|c|c|}\\multicolumn{2}{c}{A title}\\\\ \\hline 7 days & 40\\% \\end{tabular}",
    "\\frac{\\cancelto{2}{8}}{7}",
    "\\renewcommand{\\arraystretch}{1.5} x",
    "\\boxed{$14}",
    "\\begin{array}{cc} 1 & 2 \\\\ \\cline{2-2} 3 & 4 \\end{array}",
  ])("%s, found in real traces, is set", (tex) => {
    expect(renderTex(tex, true).error).toBeNull();
  });
  test("scripts and links in TeX make neither a script nor a link", () => {
    for (const tex of [
      "\\href{javascript:alert(1)}{x}",
      "\\text{<script>alert(1)</script>}",
      "\\includegraphics{https://example.org/a.png}",
      "\\htmlData{a=b}{x}",
    ]) {
      expect(renderTex(tex, false).html ?? "").not.toMatch(/<script|<a |<img|data-a/);
    }
  });
  test("a macro that doubles itself for ever is stopped", () => {
    const begun = performance.now();
    expect(renderTex("\\def\\a{\\a\\a}\\a", false).error).toBeTruthy();
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
  test("absurd nesting and absurd length are refused rather than thrown", () => {
    expect(() => renderTex("{".repeat(5_000) + "}".repeat(5_000), false)).not.toThrow();
    expect(renderTex("x".repeat(20_000), false).error).toContain("Longer");
  });
  test("a huge size is capped", () => {
    expect(renderTex("\\rule{9999em}{9999em}", false).html).toMatch(/border-right-width:12em/);
  });
});
