import { render } from "@testing-library/react";
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
