import { render } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { changed, signsIn } from "./changes";
import { MathText } from "./MathText";

function signs(text: string, program = false): string[] {
  const { container } = render(<MathText text={text} program={program} />);
  return signsIn(container).map(({ key, range }) => {
    expect(range().toString().replace(/[−–]/, "-").replace("⋅", "·")).toBe(key);
    return key;
  });
}

function marks(before: string, now: string) {
  const [old, young] = [signs(before), signs(now)];
  const { gone, come } = changed(old, young);
  return [gone.map((place) => old[place]).join(" "), come.map((place) => young[place]).join(" ")];
}

describe("what the mathematics of a text is", () => {
  test.each<[string, string]>([
    ["Then $2x^2 + 3 = 11$.", "2 x 2 + 3 = 11"],
    ["So 3 * 4 = 12, a well-known fact that I use.", "3 * 4 = 12"],
    ["He has 5 - 2 = 3 left - so x = 3.", "5 - 2 = 3 - x = 3"],
    ["It's a 1,250 dollar deal.", "1,250"],
    ["No number and no formula.", ""],
  ])("%s", (text, expected) => {
    expect(signs(text).join(" ")).toBe(expected);
  });

  test("a program's names are whole", () => {
    expect(signs("total = total + x1", true)).toEqual(["total", "=", "total", "+", "x1"]);
  });
});

describe("what changed", () => {
  test.each<[string, string, string, string, string]>([
    ["a sign", "$2x + 6 = 10$", "$2x - 6 = 10$", "+", "-"],
    ["a number", "So $3x = 12$.", "So $3x = 14$.", "12", "14"],
    ["a number that words hold now", "Thus $3 \\cdot 4 = 12$.", "Thus 3 · 4 = 13.", "12", "13"],
    ["a term that went to the other side", "$2x + 6 = 10$", "$2x = 10 - 6$", "+ 6", "- 6"],
    ["nothing", "We get $x = 2$.", "So, again, $x = 2$.", "", ""],
    ["all of it: another statement", "$x = 2$", "Let $y$ be 3.", "", ""],
  ])("%s", (_, before, now, gone, come) => {
    expect(marks(before, now)).toEqual([gone, come]);
  });

  test("what is left over of both is the same sequence, whatever the texts", () => {
    const letters = ["a", "b", "c", "="];
    const random = (seed: number) => {
      let state = seed;
      return () => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        return state / 2_147_483_648;
      };
    };
    for (let seed = 1; seed <= 200; seed += 1) {
      const next = random(seed);
      const text = () => Array.from({ length: Math.floor(next() * 12) }, () => letters[Math.floor(next() * 4)] ?? "a");
      const [before, now] = [text(), text()];
      const { gone, come } = changed(before, now);
      const rest = (all: string[], left: number[]) => all.filter((_, place) => !left.includes(place)).join("");
      if (before.some((one) => now.includes(one))) expect(rest(before, gone)).toBe(rest(now, come));
      else expect([gone, come]).toEqual([[], []]);
    }
  });

  test("a text without end is left alone", () => {
    const long = Array.from({ length: 3_000 }, (_, index) => `${index}`);
    expect(changed(long, [...long, "new"])).toEqual({ gone: [], come: [] });
  });
});
