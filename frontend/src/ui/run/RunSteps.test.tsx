import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { placed } from "./answers";
import { RunSteps } from "./RunSteps";
import type { TypedStep } from "./typedStep";

const SOURCE = { whole: () => Promise.resolve(""), picture: () => "" };

test("signs that turn letters, and marks that heap, are shown by name wherever a run is shown", () => {
  const steps = [
    {
      kind: "tool_call",
      actor: "agent",
      text: "",
      bytes: 0,
      lines: 0,
      tool: "ba\u202esh",
      arguments: { command: "rm \u202ea" },
    },
    { kind: "observation", actor: "tool", text: `to\u2066tal${"\u0301".repeat(30)}`, bytes: 5, lines: 1 },
    { kind: "message", actor: "agent", text: "so \u202e21", bytes: 5, lines: 1, nested: [] },
  ] as unknown as TypedStep[];
  const { container } = render(<RunSteps steps={placed(steps)} source={SOURCE as never} />);
  const shown = container.textContent;
  for (const part of ["ba⟦RLO⟧sh", "rm ⟦RLO⟧a", "to⟦LRI⟧tal⟦30 combining signs⟧", "so ⟦RLO⟧21"])
    expect(shown).toContain(part);
  expect(shown).not.toMatch(/[\u202e\u2066]/);
});

const CALL = { kind: "tool_call", actor: "agent", text: "", bytes: 0, lines: 0, tool: "look" };

function drawn(...steps: object[]): HTMLElement {
  return render(<RunSteps steps={placed(steps as TypedStep[])} source={SOURCE as never} />).container;
}

function deepestOf(box: Element): number {
  let most = 0;
  for (let row = [...box.children]; row.length > 0; row = row.flatMap((one) => [...one.children])) most += 1;
  return most;
}

test("however deep a result is, it is drawn in few boxes and nothing of it is lost", () => {
  const text = `${"[".repeat(1_990)}1${"]".repeat(1_990)}`;
  const box = drawn({ kind: "observation", actor: "tool", text, bytes: text.length, lines: 1 });
  expect(box.textContent).toContain(text);
  expect(deepestOf(box)).toBeLessThan(20);
});

test("arguments that are deeper than a tree may be can be opened level by level, and the rest is their text", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(900)}1${"}".repeat(900)}`);
  const box = drawn({ ...CALL, arguments: deep });
  let folded = box.querySelector("details:not([open])");
  for (; folded; folded = box.querySelector("details:not([open])")) {
    (folded as HTMLDetailsElement).open = true;
    fireEvent(folded, new Event("toggle"));
  }
  expect(deepestOf(box)).toBeLessThan(400);
  expect(box.textContent).toContain(`${'{"a":'.repeat(850)}1${"}".repeat(850)}`);
});

test("of a list of very many values the first are drawn, and more as they are asked for", () => {
  const numbers = Array.from({ length: 5_000 }, (_, at) => 90_000 + at);
  const text = JSON.stringify(numbers);
  const box = drawn({ kind: "observation", actor: "tool", text, bytes: text.length, lines: 1 });
  expect(box.querySelectorAll("dd")).toHaveLength(200);
  fireEvent.click(screen.getByRole("button", { name: "Show 200 more" }));
  expect(box.querySelectorAll("dd")).toHaveLength(400);
  fireEvent.click(screen.getByRole("button", { name: "As it was written" }));
  expect(box.textContent).toContain(text);
  const many = drawn({ ...CALL, arguments: Object.fromEntries(numbers.map((one) => [`k${one}`, one])) });
  expect(many.querySelectorAll("dd")).toHaveLength(200);
  const short = JSON.stringify(numbers.slice(0, 600));
  const whole = drawn({ kind: "observation", actor: "tool", text: short, bytes: short.length, lines: 1 });
  expect(whole.querySelectorAll("dd")).toHaveLength(600);
});
