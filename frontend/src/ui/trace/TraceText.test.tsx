import { readFileSync } from "node:fs";
import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { ProblemExcerpt } from "./TraceText";
import classes from "./trace.module.css";

/** jsdom has no layout: this checks how the box of a row declares its layout. */
function boxOf(text: string) {
  const style = document.createElement("style");
  const names = (all: string, name: string) => (classes[name] ? `.${classes[name]}` : all);
  style.textContent = readFileSync("src/ui/trace/trace.module.css", "utf8").replace(/\.([a-z]\w*)/gi, names);
  document.head.append(style);
  const { container } = render(<ProblemExcerpt text={text} />);
  const { display, minHeight } = getComputedStyle(container.firstElementChild as Element);
  style.remove();
  return { display, minHeight, text: container.textContent ?? "" };
}

test("a row whose problem begins with a matrix on a line of its own is never without height", () => {
  for (const open of ["\\[", "$$"]) {
    const close = open === "$$" ? "$$" : "\\]";
    const box = boxOf(`${open}\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}${close} is a matrix.`);
    expect(box.display).toBe("block");
    expect(Number.parseFloat(box.minHeight)).toBeGreaterThan(0);
    expect(box.text).toContain("is a matrix.");
  }
});

test("any other problem is held to two lines", () => {
  expect(boxOf("Let $x = 1$. What is $x + 1$?").display).not.toBe("block");
});
