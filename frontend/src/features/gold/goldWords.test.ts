import { expect, test } from "vitest";
import { lackingWords } from "./goldWords";

const enough = {
  active: 30,
  retired: 0,
  fresh: 30,
  a_round: 10,
  a_screening: 30,
  least_left: 30,
  labelers: 4,
  short: 0,
};

test("enough gold is nothing to warn about", () => {
  expect(lackingWords(enough)).toBe("");
});

test("a screening that cannot begin comes first", () => {
  expect(lackingWords({ ...enough, active: 12 })).toMatch(/^A screening takes 30 gold tasks, but there are 12/);
});

test("gold that labelers have had is no gold for them", () => {
  const words = lackingWords({ ...enough, least_left: 2, short: 3 });
  expect(words).toBe(
    "3 of 4 labelers have had so much gold that the next round cannot give them 10. The fewest left for one labeler is 2.",
  );
  expect(lackingWords({ ...enough, least_left: 2, short: 1 })).toMatch(/^1 of 4 labelers has had/);
});

test("a round with less gold than it asks for, and with none, are told apart", () => {
  expect(lackingWords({ ...enough, a_screening: 0, active: 4 })).toContain("it will get 4");
  expect(lackingWords({ ...enough, a_screening: 0, active: 0 })).toContain("nobody is measured");
});
