import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { drawable } from "./drawable";
import { MathText } from "./MathText";
import type { Segment } from "./segmentKinds";
import { segment } from "./segments";

const undrawn = (parts: readonly Segment[]) => parts.filter((part) => part.kind === "math" && part.undrawn).length;

test("of a text of very many formulas the first are drawn, and the others are shown as they were written", () => {
  const text = `${"$x_1^2$ ".repeat(12_500)}.`;
  const formulas = drawable(segment(text)).filter((part) => part.kind === "math");
  const drawn = formulas.findIndex((part) => part.undrawn);
  expect(formulas).toHaveLength(12_500);
  expect(drawn).toBeGreaterThan(500);
  expect(undrawn(formulas)).toBe(12_500 - drawn);
});

test("formulas that are refused, and those in the cells of tables, count as well", () => {
  const large = (sign: string) => `$$\\begin{matrix}${"&".repeat(5_900)}${sign}\\end{matrix}$$\n\n`;
  const table = `| a | b |\n|---|---|\n${"| $x_1^2$ | $y$ |\n".repeat(1_000)}`;
  for (const text of ["abcd".split("").map(large).join(""), table])
    expect(undrawn(drawable(segment(`${text}\n\nSo $z$.`)))).toBe(1);
});

test("a formula that is not drawn says why, and is there to be read", () => {
  const { container } = render(<MathText text={`${"$x_1^2$ ".repeat(2_000)}so $the end$`} />);
  const last = [...container.querySelectorAll("[title^='This TeX cannot be shown']")].at(-1);
  expect(last?.getAttribute("title")).toBe("This TeX cannot be shown: There are too many before it.");
  expect(last?.textContent).toContain("$");
});
