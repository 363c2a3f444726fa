import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { InlineText } from "./InlineForms";

Element.prototype.scrollIntoView ??= () => undefined; // jsdom has no layout

/** Open a form under a step, and return it with what it has kept so far. */
function open(initial: string) {
  const kept: string[] = [];
  const page = render(
    <InlineText title="A comment" field="Comment" initial={initial} onKeep={(text) => kept.push(text)} />,
  );
  return { kept, leave: page.unmount };
}

function type(value: string) {
  fireEvent.change(screen.getByLabelText("Comment"), { target: { value } });
}

test("what was typed is kept once where the page closes under it", () => {
  const { kept, leave } = open("Not");
  type("Not s");
  type("Not so.");
  leave();
  expect(kept).toEqual(["Not so."]);
});

test("what was begun is gone on with at its end, not in front of it", () => {
  open("Half a comm");
  const field = screen.getByLabelText<HTMLTextAreaElement>("Comment");
  expect(document.activeElement).toBe(field);
  expect([field.selectionStart, field.selectionEnd]).toEqual([11, 11]);
});

test("where nothing was changed, and once it is done, leaving keeps nothing more", () => {
  const untouched = open("As it was.");
  untouched.leave();
  expect(untouched.kept).toEqual([]);
  const done = open("");
  type("Yes.");
  fireEvent.click(screen.getByRole("button", { name: /^Keep/ }));
  done.leave();
  expect(done.kept).toEqual(["Yes."]);
});
