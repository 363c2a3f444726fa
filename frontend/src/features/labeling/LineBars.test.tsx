import { render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SearchBar } from "./LineBars";

const STEPS = ["Add one.", "Take two.", "Add three.", "Add four."];

/** Without React's act, each key arrives as from a fast typist: before the effects of the previous key are drawn. */
const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
let asks: boolean | undefined;

function opened(focus: number) {
  const onGo = vi.fn();
  const rest = { problem: "", steps: STEPS, focus, onHit: vi.fn(), onLeave: vi.fn() };
  render(<SearchBar {...rest} onGo={onGo} />);
  asks = environment.IS_REACT_ACT_ENVIRONMENT;
  environment.IS_REACT_ACT_ENVIRONMENT = false;
  return onGo;
}

async function type(words: string) {
  const field = screen.getByLabelText<HTMLInputElement>("Search");
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, words);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await Promise.resolve(); // each key is a task of its own
}

async function press(...keys: string[]) {
  for (const key of keys) {
    screen.getByLabelText("Search").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await Promise.resolve();
  }
}

beforeEach(() => {
  asks = environment.IS_REACT_ACT_ENVIRONMENT;
});
afterEach(() => {
  environment.IS_REACT_ACT_ENVIRONMENT = asks;
});

test("Enter goes where the words as typed are, however quickly it follows them", async () => {
  const onGo = opened(0);
  await type("add");
  await press("Enter");
  expect(onGo).toHaveBeenLastCalledWith(0);
  await type("add three");
  await press("Enter");
  expect(onGo).toHaveBeenLastCalledWith(2);
});

test("an arrow pressed as soon as the hits are there is not lost", async () => {
  const onGo = opened(0);
  await type("add");
  await press("ArrowDown", "Enter");
  expect(onGo).toHaveBeenLastCalledWith(2);
  await press("ArrowUp", "ArrowUp", "Enter");
  expect(onGo).toHaveBeenLastCalledWith(3);
});

test("hits are told from the step in hand on", async () => {
  const onGo = opened(1);
  await type("add");
  await press("Enter");
  expect(onGo).toHaveBeenLastCalledWith(2);
  await press("ArrowDown", "ArrowDown", "Enter");
  expect(onGo).toHaveBeenLastCalledWith(0);
});
