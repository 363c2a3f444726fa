import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { textOf } from "./copyText";
import { MathText } from "./MathText";

const copied = (text: string) => textOf(render(<MathText text={text} />).container);

test("what is copied has each formula once, as it was written, and a line for each line", () => {
  const text = "So $r \\cdot s = 6$ and\n$$x^2 = \\frac{1}{2}$$\nis (-27 - 7).";
  expect(copied(text)).toBe(text);
  expect(copied("So $x = 4$.\n\nAnd $y$:\n$$z$$\n\n# Answer\n\n4")).toBe("So $x = 4$.\n\nAnd $y$:\n$$z$$\nAnswer\n\n4");
});

test("a calculator's mark stands behind its number, which keeps its currency and its style", () => {
  expect(copied("It is 25 * 6 = $<<25*6=150>>150, so.")).toBe("It is 25 * 6 = $15025*6=150, so.");
  const { container } = render(<MathText text="**= <<1,500+1=1,501>>1,501** in all" />);
  expect(container.querySelector("strong")?.textContent).toBe("= 1,501");
});

test("no line ends behind a minus between two numbers", () => {
  const text = "(-27 - 7) is - as (3 - - (4)) - said in 1,000-25/100 <<15-5=10>>";
  const { container } = render(<MathText text={text} />);
  const kept = [...container.querySelectorAll("[class*=kept]")].map((part) => part.textContent);
  expect(kept).toEqual(["-27", "- 7", "- - (", "-25/100", "-5"]);
  expect(copied(text)).toBe("(-27 - 7) is - as (3 - - (4)) - said in 1,000-25/100 15-5=10");
});
