import fc from "fast-check";
import { expect, test } from "vitest";
import { calculate } from "./calculator";

const text = (line: string, before = "") => calculate(line, before).text;
const whole = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const above = fc.bigInt({ min: 1n, max: 10n ** 30n });
const same = (left: string, right: string) => expect(text(`${left} = ${right}`)).toBe("equal");

test.each([
  ["1/3 + 1/6", "1/2"],
  ["0.1 + 0.2", "3/10"],
  ["2^10 - 3·7", "1003"],
  ["-2^2", "−4"],
  ["2^-3", "1/8"],
  ["(9/4)^(1/2)", "3/2"],
  ["sqrt(2)", "≈ 1.414213562373…"],
  ["binom(8, 3)", "56"],
  ["5!/3!", "20"],
  ["mod(-7, 3)", "2"],
  ["12% × 50", "6"],
  ["3*4 = 12", "equal"],
  ["3*4 = 13", "not equal: 12 and 13"],
  ["1,000", "Write 1000, not 1,000; commas only separate the numbers of a function."],
  ["2(3)", "An operator is missing before “(”."],
  ["1/0", "Divided by zero."],
  ["(1", "A “)” is missing."],
  ["", "The line is incomplete."],
  ["9^9^9", "The exponent is too large."],
  ["9^99999", "The number is too large."],
  ["x + 1", "“x” is not understood."],
])("%s comes to %s", (line, said) => expect(text(line)).toBe(said));

test("“ans” is the result before", () => {
  expect(text("ans * 2", "−17/6")).toBe("−17/3");
  expect(text("ans")).toBe("There is no earlier result.");
});

test("fractions add, multiply and divide as whole numbers say they do", () => {
  fc.assert(
    fc.property(whole, above, whole, above, (a, b, c, d) => {
      same(`(${a})/${b} + (${c})/${d}`, `(${a * d + c * b})/${b * d}`);
      same(`(${a})/${b} * ((${c})/${d})`, `(${a * c})/${b * d}`);
      if (c !== 0n) same(`(${a})/${b} / ((${c})/${d})`, `(${a * d})/(${b * c})`);
    }),
  );
});

test("what is shown reads back as what it is, and its decimals are within their last place", () => {
  fc.assert(
    fc.property(whole, above, (a, b) => {
      const found = calculate(`(${a})/${b}`);
      same(found.text, `(${a})/${b}`);
      const decimal = found.kind === "value" ? found.decimal.replace("…", "") : "";
      expect(text(`floor(abs((${a})/${b} - (${decimal})) * 10^12)`)).toBe("0");
    }),
  );
});

test("no line makes it throw", () => {
  const pieces = fc.constantFrom(..."0123456789+-*/^()!%,=.", "sqrt(", "binom(", "ans", "pi", " ", "×", "$", "x");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => typeof calculate(parts.join("")).text === "string"),
  );
});
