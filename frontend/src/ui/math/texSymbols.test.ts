import { expect, test } from "vitest";
import { renderTex } from "./renderTex";
import { shownTex, texSymbols } from "./texSymbols";

const keys = (tex: string) => texSymbols(tex).symbols.map((symbol) => symbol.key);

/** The look of each symbol in KaTeX's markup, by its key. */
function shownAs(tex: string): string[] {
  const { symbols, leaves } = texSymbols(tex);
  const { text, at } = shownTex(tex, false);
  return symbols.map(({ key, leaves: of }) => {
    const seen = of.map((leaf) => {
      const [from, length] = at.get(leaves[leaf]?.start ?? -1) ?? [0, 0];
      return text.slice(from, from + length);
    });
    return `${key}: ${seen.join("")}`;
  });
}

test.each([
  ["P(x) = 2x^3 - 2ax^2", ["P", "x", "2", "x", "3", "2", "a", "x", "2"]],
  ["r_1 + r_{1} + r_{n + 1}^2", ["r_1", "r_1", "r_n+1", "2"]],
  ["12^23 + 1{,}000.5 + 1,000 + .5", ["12", "2", "3", "1000.5", "1000", "0.5"]],
  ["\\frac{9}{4} + \\frac94 + 9/4 + \\frac{9x}{4}", ["9/4", "9", "4", "9/4", "9", "4", "9/4", "9", "4", "9", "x", "4"]],
  [
    "\\boxed{x} \\mathbf{x} \\mathbf{v}_1 \\alpha \\text{x 5} \\sin x",
    ["x", "\\mathbf{x}", "\\mathbf{v}_1", "\\alpha", "x"],
  ],
  ["\\begin{pmatrix} a & b \\\\ 10 & a \\end{pmatrix}", ["a", "b", "10", "a"]],
  ["\\frac{1}", []],
])("%s", (tex, expected) => {
  const found = keys(tex);
  expect(found.toSorted()).toEqual(expected.toSorted());
});

test("each symbol is found in what KaTeX shows, where that stands in another order than the source", () => {
  expect(shownAs("\\frac{a}{b}_c^d + x_1^{12} \\alpha")).toEqual([
    "a: a",
    "b: b",
    "c: c",
    "d: d",
    "x_1: x1",
    "12: 12",
    "\\alpha: α",
  ]);
});

test("setting a formula once more in colours changes none of its characters", () => {
  for (const tex of [
    "\\frac12\\sqrt[3]{x}",
    "\\left(\\frac{a'}{b}\\right)^{2n}_{k=1}",
    "\\overline{AB}\\cong\\hat x\\,!",
    "\\sum_{i=1}^n i",
    "\\begin{cases} x & y\\\\ 1 & 2\\end{cases}",
    "\\cancel{5}\\binom n2\\not= 3",
  ]) {
    for (const display of [true, false]) {
      const box = document.createElement("div");
      box.innerHTML = renderTex(tex, display).html ?? "";
      expect(shownTex(tex, display).text).toBe(box.querySelector(".katex-html")?.textContent);
    }
  }
});
