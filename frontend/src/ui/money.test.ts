import { expect, test } from "vitest";
import { formatMoney, formatMoneyAbout } from "./money";

test("money is written to the cent, and a tenth of one where that is all it costs", () => {
  expect([12.4, 1840.256, 0, 0.042].map((amount) => formatMoney(amount, "EUR"))).toEqual([
    "€12.40",
    "€1,840.26",
    "€0.00",
    "€0.042",
  ]);
  expect(formatMoney(12.4, "XXQ")).toBe("XXQ 12.40");
  expect(formatMoney(1240, "JPY")).toBe("¥1,240");
});

test("what is only estimated has no cents from 20 on", () => {
  expect([9.5, 194.6, 12_345].map((amount) => formatMoneyAbout(amount, "USD"))).toEqual(["$9.50", "$195", "$12,345"]);
});
