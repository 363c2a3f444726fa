import meanings from "virtual:glossary";
import { describe, expect, test } from "vitest";
import { glossaryOf } from "../../../glossary";
import { termIn } from "./termIn";

describe("the words of the glossary", () => {
  test("each row's words have its meaning, as people read it", () => {
    const page =
      "| word | means | not |\n| --- | --- | --- |\n| **claim**, **lease** | a [thing](x.md) ([page](y.md)) with `an` **end** | lock |\n";
    expect(glossaryOf(page)).toEqual({ claim: "a thing with an end", lease: "a thing with an end" });
  });

  test("no meaning is empty, and none shows marks of Markdown", () => {
    expect(Object.keys(meanings).length).toBeGreaterThan(100);
    for (const [word, means] of Object.entries(meanings)) {
      expect(means, word).toMatch(/\S/);
      expect(means, word).not.toMatch(/\*\*|\]\(|`/);
    }
  });

  test.each([
    ["Overlap", "overlap"],
    ["Label audits", "label audit"],
    ["Labels with a verdict", "verdict"],
    ["Gold answered as expected", "gold"],
    ["Last steps", null],
    ["Golden", null],
    ["Release", null],
    ["Progress", null],
  ])("%s holds %s", (heading, term) => expect(termIn(heading)).toBe(term));

  test("a page's own name is no word of ours, though it holds one", () => {
    expect(termIn("Gold", true)).toBe("gold");
    expect(termIn("Label audits", true)).toBe("label audit");
    expect(termIn("The gold of Klondike", true)).toBe(null);
  });
});
