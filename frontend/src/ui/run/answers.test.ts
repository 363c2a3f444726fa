import { expect, test } from "vitest";
import { placed, underTheirCalls } from "./answers";
import type { TypedStep } from "./typedStep";

const step = (kind: TypedStep["kind"], call_id?: string): TypedStep => ({
  kind,
  actor: "agent",
  text: "",
  bytes: 0,
  lines: 0,
  ...(call_id ? { call_id } : {}),
});

const order = (...steps: TypedStep[]) => underTheirCalls(placed(steps)).map(({ place }) => place);

test("results of calls that were made at once stand under their calls, whatever their order was", () => {
  expect(
    order(
      step("message"),
      step("tool_call", "a"),
      step("edit", "b"),
      step("tool_call", "never answered"),
      step("observation", "b"),
      step("observation", "a"),
      step("observation", "a"),
    ),
  ).toEqual([0, 1, 5, 6, 2, 4, 3]);
});

test("a result that answers none of them stays where it is, and a second call of the same id takes none", () => {
  const calls = [step("tool_call", "a"), step("tool_call", "a"), step("tool_call", "b")];
  expect(order(...calls, step("observation", "elsewhere"), step("observation"), step("observation", "a"))).toEqual([
    0, 5, 1, 2, 3, 4,
  ]);
});

test("where one tool is called, nothing moves", () => {
  expect(order(step("observation", "a"), step("message"), step("tool_call", "a"))).toEqual([0, 1, 2]);
});
