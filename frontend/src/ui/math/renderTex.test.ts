import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { drawable } from "./drawable";
import { renderTex } from "./renderTex";
import { segment } from "./segments";

const MOST = 300_000; // characters of markup: a browser lays them out in well under a second
const DATA = "../../shared/data"; // real traces, if they are next to the project
const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}x${close.repeat(levels)}`;
const matrix = (body: string) => `\\begin{matrix}${body}\\end{matrix}`;

/** Texts of a few kilobytes each; those that froze a page for half a minute come first. */
const HOSTILE = {
  cells: matrix("&".repeat(5_900)),
  rows: matrix("\\\\".repeat(2_900)),
  lines: "\\\\".repeat(2_900),
  cases: `\\begin{cases}${"1&2\\\\".repeat(1_100)}\\end{cases}`,
  multicolumns: `\\begin{tabular}{c}${"\\multicolumn{2}{c}{x}&".repeat(270)}\\end{tabular}`,
  columns: `\\begin{array}{${"|".repeat(5_900)}}1\\end{array}`,
  "repeated columns": `\\begin{array}{${"*99{|}".repeat(840)}}1\\end{array}`,
  "cells by another name": `\\let\\a=&${matrix("\\a".repeat(190))}`,
  "cells from a macro": `\\def\\a{${"&".repeat(5_000)}}${matrix("\\a".repeat(190))}`,
  "a long macro, often": `\\def\\a{${"x^1".repeat(1_500)}}${"\\a".repeat(190)}`,
  "a macro that doubles what it is given": "\\def\\a#1{\\a{#1#1}}\\a{x}",
  "the same by a line's end": "\\def\\\\#1{\\\\{x\\\\#1#1}}\\\\{x}",
  "bold of bold of bold": `\\pmb{\\pmb{\\pmb{${"x^1".repeat(1_900)}}}}`,
  fractions: "\\frac12".repeat(850),
  "fractions in fractions": `${"\\frac{1".repeat(500)}${"}{2}".repeat(500)}`,
  "roots in roots": nested(700, "\\sqrt{", "}"),
  "braces under braces": nested(450, "\\underbrace{", "}"),
  "powers of powers": nested(1_400, "x^{", "}"),
  powers: "x^1_1".repeat(1_200),
  primes: "x'".repeat(3_000),
  sums: "x+".repeat(3_000),
  "sums, with limits": "\\sum_1^2".repeat(750),
  dots: "\\cdots".repeat(900),
  hats: "\\widehat x".repeat(550),
};

test.each(Object.entries(HOSTILE))("%s: little markup is made of it, in a moment", (_name, tex) => {
  expect(tex.length).toBeLessThanOrEqual(6_000);
  const begun = performance.now();
  const { html, error } = renderTex(tex, true);
  expect(performance.now() - begun).toBeLessThan(3_000);
  expect(html === null ? error : html.length <= MOST).toBeTruthy();
});

test("a large table and a long sum are drawn, larger ones are not", () => {
  const row = `${"1&".repeat(19)}1\\\\`;
  for (const tex of [matrix(row.repeat(19)), "a_1+".repeat(250), "\\def\\R{\\mathbb R}\\#1 \\in \\R"])
    expect(renderTex(tex, true).error).toBeNull();
  for (const tex of [matrix(row.repeat(21)), "a_1+".repeat(1_200), "\\frac12".repeat(600)])
    expect(renderTex(tex, true).error).toBe("It is too large for a page.");
});

test.skipIf(!existsSync(DATA))("of the formulas of real traces none is too large, nor too many for its text", () => {
  const refused: string[] = [];
  let looked = 0;
  const look = (value: unknown): void => {
    if (typeof value === "string" && value.length > 1_000 && /[$\\]/.test(value)) {
      for (const part of drawable(segment(value))) {
        if (part.kind === "rest") refused.push(part.source);
        if (part.kind !== "math") continue;
        looked += 1;
        const { error } = renderTex(part.tex, part.display);
        if (/^(?:Longer|It )/.test(error ?? "")) refused.push(part.tex);
      }
    } else if (typeof value === "object" && value !== null) for (const one of Object.values(value)) look(one);
  };
  for (const name of readdirSync(DATA, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".jsonl"))
      for (const line of readFileSync(`${DATA}/${name}`, "utf8").trim().split("\n")) look(JSON.parse(line));
  expect(looked).toBeGreaterThan(3_000);
  expect(refused).toEqual([]);
});
