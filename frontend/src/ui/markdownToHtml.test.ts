import { expect, test } from "vitest";
import { markdownToHtml } from "./markdownToHtml";

test("Markdown becomes headings, lists and emphasis", () => {
  const html = markdownToHtml("# Rules\n\n- **one**\n- two");
  expect(html).toContain("<h1>Rules</h1>");
  expect(html).toContain("<strong>one</strong>");
});

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "[x](javascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "![x](https://example.org/track.png)",
  "<a href='javascript:alert(1)'>x</a>",
])("nothing in %s becomes a tag or a script", (source) => {
  const made = new DOMParser().parseFromString(markdownToHtml(source), "text/html");
  expect(made.querySelectorAll("script, img, iframe, [onerror]")).toHaveLength(0);
  for (const link of made.querySelectorAll("a")) expect(link.getAttribute("href")).toMatch(/^https?:/);
});

test("a formula between dollars is set, and money is not", () => {
  expect(markdownToHtml("Good: $x_1^2$.")).toContain("katex");
  expect(markdownToHtml("from $5 to $7")).not.toContain("katex");
});
