import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { breakAtRelations, unbreak } from "./breakFormula";
import { MathText } from "./MathText";

test("a formula is set, the words around it stay words", () => {
  const { container } = render(<MathText text="So $x^2$ is <b>4</b>." />);
  expect(container.querySelectorAll(".katex")).toHaveLength(1);
  expect(container.querySelector("b")).toBeNull();
  expect(container.textContent).toContain("is <b>4</b>.");
});

test.each([
  ["\\[x = 5\\] Solving for D", "Solving for D"],
  ["It takes $$21$$ minutes.", "minutes."],
  ["\\[x\\] **so** it is", "so it is"],
])("the words behind a formula of its own line begin at the edge: %s", (text, words) => {
  const { container } = render(<MathText text={text} />);
  const [formula] = container.querySelectorAll("[data-formula=display]");
  let behind = "";
  for (let node = formula?.nextSibling ?? null; node; node = node.nextSibling) behind += node.textContent;
  expect(behind).toBe(words);
});

test("raw shows what was written, byte for byte", () => {
  const text = "  $x^2$\n\n\\$5 **b** <<1+1=2>>2";
  render(<MathText text={text} raw />);
  expect(screen.getByText((_words, element) => element?.tagName === "PRE").textContent).toBe(text);
});

test.each([{}, { raw: true }, { program: true }])(
  "a sign that turns the letters behind it is shown by name (%j)",
  (how) => {
    const { container } = render(<MathText text={"The answer is \u202e21\u202c, \u2067so\u2069."} {...how} />);
    expect(container.textContent).toBe("The answer is ⟦RLO⟧21⟦PDF⟧, ⟦RLI⟧so⟦PDI⟧.");
  },
);

test.each([{}, { raw: true }, { program: true }])(
  "more marks than any script sets onto a letter are shown by their number (%j)",
  (how) => {
    const text = `a${"\u0301".repeat(50_000)}b${"\u0301\u200d\u0316".repeat(11)}, \u{1f44b}${"\u{1f3fb}".repeat(2_000)}.`;
    const { container } = render(<MathText text={text} {...how} />);
    expect(container.textContent).toBe(
      "a⟦50,000 combining signs⟧b⟦33 combining signs⟧, \u{1f44b}⟦2,000 combining signs⟧.",
    );
  },
);

test.each([
  ["Thai", "ที่นี่ น้ำ ผู้รู้"],
  ["Devanagari", "क्ष्म्य कर्त्तृत्वं"],
  ["Arabic", "بِسْمِ ٱللّٰهِ ٱلرَّحْمَٰنِ"],
  ["Hebrew", "בְּרֵאשִׁ֖ית בָּרָ֣א"],
  ["Tibetan", "ཧ྄ཱུྂ ཨོཾ་མ་ཎི་པདྨེ"],
  ["skins", "👍🏻👍🏿👩🏽‍🚀"],
  ["as many as may be", `a${"\u0301".repeat(20)}b${"\u0301".repeat(20)}`],
])("marks that are read stay as they are: %s", (_name, text) => {
  expect(render(<MathText text={text} />).container.textContent).toBe(text);
});

test("words that are written from right to left stay as they are", () => {
  const { container } = render(<MathText text={"\u200fהתשובה היא 12."} />);
  expect(container.textContent).toBe("\u200fהתשובה היא 12.");
});

test.each(["\u200b", "  \n", "\u00ad\u200e\u2060\ufeff", "\u202e"])("a text without a shape (%j) says so", (text) => {
  const { container } = render(<MathText text={text} />);
  expect(container.textContent).toBe("nothing that can be seen");
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

test("a figure that is not drawn says what is missing, and shows its source on demand; an image is not loaded", () => {
  const { container } = render(
    <MathText text={"See [asy]draw((0,0)--(1,1));[/asy]\n![a *triangle*](https://example.org/a.png)"} />,
  );
  expect(screen.getAllByText("A figure is missing here.")).toHaveLength(2);
  expect(screen.getByText("Source of the drawing").closest("details")?.open).toBe(false);
  expect(screen.getByText(/“a \*triangle\*”/)).toBeTruthy();
  expect(container.querySelectorAll("img, a")).toHaveLength(0);
});

test("lists, tables, italics and links are set as what they are, and nothing can be clicked away to", () => {
  const { container } = render(
    <MathText
      text={
        "Cases:\n- *first* `a`\n  and more\n- $x$\n1. one\n\n| a | $|b|$ |\n|:-:|--:|\n| 1 | **2** |\n\n---\nSee [this](https://x.org/a_(b)) and ***that***."
      }
    />,
  );
  const items = [...container.querySelectorAll("[class*=item]")].map((item) => item.textContent);
  expect(items.slice(0, 1)).toEqual(["• first a  and more"]);
  expect(items).toHaveLength(3);
  expect([...container.querySelectorAll("th, td")].map((cell) => (cell as HTMLElement).style.textAlign)).toEqual([
    "center",
    "right",
    "center",
    "right",
  ]);
  expect(container.querySelectorAll("th .katex, td strong")).toHaveLength(2);
  expect(container.querySelectorAll("em")).toHaveLength(2);
  expect(container.querySelector("strong em")?.textContent).toBe("that");
  expect(container.querySelectorAll("hr")).toHaveLength(1);
  expect(container.textContent).toContain("See this https://x.org/a_(b) and");
  expect(container.querySelector("a")).toBeNull();
});

test("a long line of a program goes on further in than it began, and the text stays what it was", () => {
  const text = "def f(x):\n    if x:\n\treturn 1\n\n    return 2";
  const { container } = render(<MathText text={`Write it.\n\n${text}\n`} />);
  const code = container.querySelector("pre");
  expect(code?.textContent).toBe(text);
  const indents = [...(code?.children ?? [])].map((line) => (line as HTMLElement).style.getPropertyValue("--indent"));
  expect(indents).toEqual(["0", "4", "4", "0", "4"]);
});

test("a step that is nothing but a fence says so, and so does one that ends a formula", () => {
  const shown = (text: string) => render(<MathText text={text} />).container.textContent;
  expect(shown("```python")).toBe("```python code begins here");
  expect(shown("```")).toBe("``` code begins or ends here");
  expect(shown("$$")).toBe("$$ a formula begins or ends here");
  expect(shown("\\]")).toBe("\\] a formula ends here");
});

test("a formula is broken before its relations, and set as it was when there is room again", () => {
  const { container } = render(<MathText text="$$a + b = c + d \leq e$$" />);
  const formula = container.querySelector<HTMLElement>("[data-formula]");
  const html = () => container.querySelector(".katex-html");
  const before = html()?.innerHTML;
  expect(formula && breakAtRelations(formula)).toBe(true);
  expect([...(html()?.children ?? [])].map((piece) => piece.textContent)).toEqual(["a+b", "=c+d", "≤e"]);
  if (formula) unbreak(formula);
  expect(html()?.innerHTML).toBe(before);
});
