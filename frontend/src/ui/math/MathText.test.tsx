import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { MathText } from "./MathText";

test("a formula is set, the words around it stay words", () => {
  const { container } = render(<MathText text="So $x^2$ is <b>4</b>." />);
  expect(container.querySelectorAll(".katex")).toHaveLength(1);
  expect(container.querySelector("b")).toBeNull();
  expect(container.textContent).toContain("is <b>4</b>.");
});

test("raw shows what was written, byte for byte", () => {
  const text = "  $x^2$\n\n\\$5 **b** <<1+1=2>>2";
  render(<MathText text={text} raw />);
  expect(screen.getByText((_words, element) => element?.tagName === "PRE").textContent).toBe(text);
});

test("bad TeX shows its source with a mark that says why", () => {
  render(<MathText text="So $\frac{1}$ is bad." />);
  const mark = screen.getByRole("img", { name: /cannot be shown/ });
  expect(mark.parentElement?.textContent).toContain("$\\frac{1}$");
  expect(mark.parentElement?.getAttribute("title")).toMatch(/TeX cannot be shown: \S/);
});

test("a line of a program keeps its indentation and nothing in it is TeX", () => {
  const { container } = render(<MathText text={'    cost = f"{x} $5"  # $y$'} program />);
  expect(container.querySelector(".katex")).toBeNull();
  expect(container.textContent).toBe('    cost = f"{x} $5"  # $y$');
});

test("the source of a figure is folded away", () => {
  render(<MathText text="See [asy]draw((0,0)--(1,1));[/asy]" />);
  expect(screen.getByText("Figure, as asymptote source").closest("details")?.open).toBe(false);
});
