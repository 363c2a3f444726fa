import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { drawable } from "./drawable";
import { MathText } from "./MathText";
import { segment } from "./segments";

const restOf = (text: string) => drawable(segment(text)).find((part) => part.kind === "rest")?.source ?? "";

test("of a text of very many formulas the first are drawn, and the rest is shown as it was written", () => {
  const text = `${"$x_1^2$ ".repeat(12_500)}.`;
  const parts = drawable(segment(text));
  expect(parts.filter((part) => part.kind === "math").length).toBeGreaterThan(500);
  expect(parts.map((part) => part.source).join("")).toBe(text);
  expect(restOf(text).length).toBeGreaterThan(text.length / 2);
  expect(restOf("$x_1^2$ ".repeat(500))).toBe("");
});

test("formulas that are refused, and those in the cells of tables, count as well", () => {
  const large = (sign: string) => `$$\\begin{matrix}${"&".repeat(5_900)}${sign}\\end{matrix}$$\n\n`;
  const table = `| a | b |\n|---|---|\n${"| $x_1^2$ | $y$ |\n".repeat(1_000)}`;
  for (const text of ["abcd".split("").map(large).join(""), table])
    expect(restOf(`${text}\n\nSo $z$.`)).toMatch(/So \$z\$\.$/);
});

test("a table of a hundred rows is drawn, and of one of thousands the lines are there to be read", () => {
  const table = (rows: number) => `So:\n\n|a|b|c|d|\n|-|-|-|-|\n${"|1|2|3|4|\n".repeat(rows)}`;
  const { container } = render(<MathText text={table(100)} />);
  expect(container.querySelectorAll("td")).toHaveLength(400);
  expect(restOf(table(16_000))).toBe(table(16_000).slice(5));
});

test("the rest of a text says what it is, and is opened by whoever wants to read it", () => {
  render(<MathText text={`${"a\n".repeat(20_000)}the end`} />);
  const rest = screen.getByText("Too long to render. The rest, as it was written").closest("details");
  expect(rest?.open).toBe(false);
  expect(rest?.textContent).toMatch(/the end$/);
});
