/**
 * A line of arithmetic, calculated exactly with fractions of integers of any size (BigInt): 1/3 stays 1/3, and 0.1 +
 * 0.2 is 0.3. Results that cannot be exact (roots, π) are marked "≈". Pure; it never throws.
 */

interface Value {
  n: bigint;
  /** Always positive, and without a common factor with `n`. */
  d: bigint;
  /** False once a root or π was used. */
  exact: boolean;
}

export type Answer = { kind: "value"; text: string; decimal: string } | { kind: "fault"; text: string };

/** A fault, with a message for the user. */
class Fault extends Error {}

const MOST_BITS = 20_000;
const MOST_FACTORIAL = 2_000n;
const DECIMALS = 12;
/** The scale of inexact values: far more digits than are shown. */
const ROOT_SCALE = 10n ** 40n;
const PI = 31415926535897932384626433832795028841971n;

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

function bits(n: bigint): number {
  return (n < 0n ? -n : n).toString(16).length * 4;
}

function value(n: bigint, d: bigint, exact: boolean): Value {
  if (d === 0n) throw new Fault("Divided by zero.");
  const common = gcd(n, d) * (d < 0n ? -1n : 1n);
  const made = { n: n / common, d: d / common, exact };
  if (bits(made.n) > MOST_BITS || bits(made.d) > MOST_BITS) throw new Fault("The number is too large.");
  return made;
}

const add = (a: Value, b: Value) => value(a.n * b.d + b.n * a.d, a.d * b.d, a.exact && b.exact);
const negate = (a: Value) => value(-a.n, a.d, a.exact);
const multiply = (a: Value, b: Value) => value(a.n * b.n, a.d * b.d, a.exact && b.exact);
const divide = (a: Value, b: Value) => value(a.n * b.d, a.d * b.n, a.exact && b.exact);

function power(base: Value, exponent: Value): Value {
  if (exponent.d === 2n) return power(root(base), value(exponent.n, 1n, exponent.exact));
  if (exponent.d !== 1n) throw new Fault("Exponents must be whole or half numbers.");
  const times = exponent.n < 0n ? -exponent.n : exponent.n;
  const size = BigInt(Math.max(bits(base.n), bits(base.d)));
  if (times * size > BigInt(MOST_BITS) * 4n && bits(base.n * base.d) > 4) throw new Fault("The number is too large.");
  if (times > 1_000_000n) throw new Fault("The exponent is too large.");
  const raised = value(base.n ** times, base.d ** times, base.exact && exponent.exact);
  return exponent.n < 0n ? divide(value(1n, 1n, true), raised) : raised;
}

function wholeRoot(n: bigint): bigint {
  if (n < 2n) return n;
  let guess = 1n << BigInt(Math.ceil(bits(n) / 2) + 1);
  for (;;) {
    const next = (guess + n / guess) / 2n;
    if (next >= guess) return guess;
    guess = next;
  }
}

function root(a: Value): Value {
  if (a.n < 0n) throw new Fault("The root of a negative number is not real.");
  const [n, d] = [wholeRoot(a.n), wholeRoot(a.d)];
  if (n * n === a.n && d * d === a.d) return value(n, d, a.exact);
  return value(wholeRoot((a.n * ROOT_SCALE * ROOT_SCALE) / a.d), ROOT_SCALE, false);
}

function whole(a: Value | undefined, name: string): bigint {
  if (a?.d !== 1n) throw new Fault(`${name} takes whole numbers.`);
  return a.n;
}

function factorial(a: Value): Value {
  const n = whole(a, "!");
  if (n < 0n || n > MOST_FACTORIAL) throw new Fault(`! takes 0 to ${MOST_FACTORIAL}.`);
  let product = 1n;
  for (let one = 2n; one <= n; one += 1n) product *= one;
  return value(product, 1n, true);
}

function binomial(all: bigint, chosen: bigint): Value {
  if (all < 0n || all > MOST_FACTORIAL * 5n) throw new Fault(`binom takes 0 to ${MOST_FACTORIAL * 5n}.`);
  if (chosen < 0n || chosen > all) return value(0n, 1n, true);
  let product = 1n;
  const fewer = chosen > all - chosen ? all - chosen : chosen;
  for (let one = 1n; one <= fewer; one += 1n) product = (product * (all - fewer + one)) / one;
  return value(product, 1n, true);
}

function floor(a: Value): bigint {
  const quotient = a.n / a.d;
  return a.n < 0n && quotient * a.d !== a.n ? quotient - 1n : quotient;
}

type Work = (args: readonly Value[], name: string) => Value;
const integer = (n: bigint) => value(n, 1n, true);
const one = (work: (a: Value) => Value): [number, Work] => [1, ([a]) => work(a as Value)];
const twoWhole = (work: (a: bigint, b: bigint) => Value): [number, Work] => [
  2,
  ([a, b], name) => work(whole(a, name), whole(b, name)),
];

/** By name: how many numbers the function takes, and what it does with them. */
const FUNCTIONS = new Map<string, [number, Work]>([
  ["sqrt", one(root)],
  ["abs", one((a) => (a.n < 0n ? negate(a) : a))],
  ["floor", one((a) => integer(floor(a)))],
  ["ceil", one((a) => integer(-floor(negate(a))))],
  ["gcd", twoWhole((a, b) => integer(gcd(a, b)))],
  [
    "lcm",
    twoWhole((a, b) => {
      const product = a * b;
      return integer(product === 0n ? 0n : (product < 0n ? -product : product) / gcd(a, b));
    }),
  ],
  ["binom", twoWhole(binomial)],
  [
    "mod",
    twoWhole((a, b) => {
      if (b === 0n) throw new Fault("Divided by zero.");
      const rest = a % b;
      return integer(rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest);
    }),
  ],
]);

const WRITTEN: Record<string, string> = {
  "×": "*",
  "·": "*",
  "⋅": "*",
  "÷": "/",
  ":": "/",
  "−": "-",
  "–": "-",
  "**": "^",
};
const TOKEN = /\s*(?:(\d+(?:\.\d+)?|\.\d+)|(\*\*|[-+*/^()!%,=×·⋅÷:−–])|(π|√|[a-z]+))/giy;

function tokens(line: string): string[] {
  const found: string[] = [];
  const trimmed = line.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(trimmed);
    if (!match) throw new Fault(`“${trimmed.slice(from).trim().slice(0, 12)}” is not understood.`);
    const [, number, sign, word] = match;
    const token = number ?? (sign ? (WRITTEN[sign] ?? sign) : (word as string).toLowerCase());
    found.push(token === "π" ? "pi" : token === "√" ? "sqrt" : token);
  }
  return found;
}

/** How deeply brackets and signs may be nested. */
const MOST_DEPTH = 200;

class Reader {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly line: readonly string[],
    private readonly last: Value | null,
  ) {}

  private take(...wanted: string[]): string | null {
    const token = this.line[this.at];
    if (token === undefined || !wanted.includes(token)) return null;
    this.at += 1;
    return token;
  }

  all(): Value {
    const found = this.sum();
    const left = this.line[this.at];
    if (left === ",") throw new Fault("Write 1000, not 1,000; commas only separate the numbers of a function.");
    if (left === ")") throw new Fault("There is one “)” too many.");
    if (left !== undefined) throw new Fault(`An operator is missing before “${left}”.`);
    return found;
  }

  private sum(): Value {
    let sum = this.product();
    for (let sign = this.take("+", "-"); sign; sign = this.take("+", "-")) {
      const next = this.product();
      sum = add(sum, sign === "+" ? next : negate(next));
    }
    return sum;
  }

  private product(): Value {
    let product = this.signed();
    for (let sign = this.take("*", "/"); sign; sign = this.take("*", "/")) {
      const next = this.signed();
      product = sign === "*" ? multiply(product, next) : divide(product, next);
    }
    return product;
  }

  private signed(): Value {
    this.depth += 1;
    if (this.depth > MOST_DEPTH) throw new Fault("The line is nested too deeply.");
    const sign = this.take("+", "-");
    const found = sign === "-" ? negate(this.signed()) : sign === "+" ? this.signed() : this.raised();
    this.depth -= 1;
    return found;
  }

  private raised(): Value {
    let base = this.atom();
    for (let sign = this.take("!", "%"); sign; sign = this.take("!", "%")) {
      base = sign === "!" ? factorial(base) : divide(base, integer(100n));
    }
    return this.take("^") ? power(base, this.signed()) : base;
  }

  private atom(): Value {
    const token = this.line[this.at];
    if (token === undefined) throw new Fault("The line is incomplete.");
    this.at += 1;
    if (/^[\d.]/.test(token)) return number(token);
    if (token === "(") return this.closed();
    if (token === "pi") return value(PI, ROOT_SCALE, false);
    if (token === "ans") {
      if (this.last === null) throw new Fault("There is no earlier result.");
      return this.last;
    }
    const known = FUNCTIONS.get(token);
    if (known) return this.called(token, known);
    throw new Fault(`“${token}” is not understood.`);
  }

  private closed(): Value {
    const inner = this.sum();
    if (!this.take(")")) throw new Fault("A “)” is missing.");
    return inner;
  }

  private called(name: string, [count, work]: [number, Work]): Value {
    if (!this.take("(")) throw new Fault(`${name} is written ${name}(${count === 1 ? "x" : "x, y"}).`);
    const args = [this.sum()];
    while (this.take(",")) args.push(this.sum());
    if (!this.take(")")) throw new Fault("A “)” is missing.");
    if (args.length !== count) throw new Fault(`${name} takes ${count === 1 ? "one number" : "two numbers"}.`);
    return work(args, name);
  }
}

function number(written: string): Value {
  const [before = "", after = ""] = written.split(".");
  return value(BigInt(`${before}${after}` || "0"), 10n ** BigInt(after.length), true);
}

/** "0.125", "2.833333333333…". Cut, not rounded: the dots show that more digits follow. */
function decimalOf({ n, d, exact }: Value): string {
  const size = n < 0n ? -n : n;
  const scaled = (size * 10n ** BigInt(DECIMALS)) / d;
  const goesOn = !exact || scaled * d !== size * 10n ** BigInt(DECIMALS);
  const digits = scaled.toString().padStart(DECIMALS + 1, "0");
  const fraction = goesOn ? digits.slice(-DECIMALS) : digits.slice(-DECIMALS).replace(/0+$/, "");
  return `${n < 0n ? "−" : ""}${digits.slice(0, -DECIMALS)}${fraction ? `.${fraction}` : ""}${goesOn ? "…" : ""}`;
}

function shown(found: Value): { text: string; decimal: string } {
  const decimal = decimalOf(found);
  if (!found.exact) return { text: `≈ ${decimal}`, decimal };
  const sign = found.n < 0n ? "−" : "";
  const size = found.n < 0n ? -found.n : found.n;
  return { text: found.d === 1n ? `${sign}${size}` : `${sign}${size}/${found.d}`, decimal };
}

function worked(line: readonly string[], last: Value | null): Value {
  return new Reader(line, last).all();
}

function compared(left: Value, right: Value): Answer {
  const same = left.n * right.d === right.n * left.d;
  const exact = left.exact && right.exact;
  const words = same
    ? exact
      ? "equal"
      : "equal to the digits shown"
    : `not equal: ${shown(left).text} and ${shown(right).text}`;
  return { kind: "value", text: words, decimal: "" };
}

/** Return a line's result or, if it has one "=", whether both sides are equal. `before` is the value of "ans". */
export function calculate(line: string, before = ""): Answer {
  try {
    const last = before === "" ? null : readBack(before);
    const all = tokens(line);
    const equals = all.indexOf("=");
    if (equals < 0) return { kind: "value", ...shown(worked(all, last)) };
    if (all.lastIndexOf("=") !== equals) throw new Fault("Use only one “=”.");
    return compared(worked(all.slice(0, equals), last), worked(all.slice(equals + 1), last));
  } catch (error) {
    if (error instanceof Fault || error instanceof RangeError) return { kind: "fault", text: faultWords(error) };
    throw error;
  }
}

function faultWords(error: Error): string {
  return error instanceof Fault ? error.message : "The number is too large.";
}

function readBack(result: string): Value | null {
  try {
    return worked(tokens(result), null);
  } catch {
    return null;
  }
}
