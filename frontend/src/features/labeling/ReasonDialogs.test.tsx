import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { BadProblemDialog } from "./BadProblemDialog";
import { Dock } from "./Dock";
import { TextDialog } from "./ReasonDialogs";
import { ScratchPad } from "./ScratchPad";

afterEach(closeTestPage);

const nothing = () => undefined;

/** The position of the caret in the field that has the focus. */
function caret(): number | null {
  const field = document.activeElement;
  return field instanceof HTMLTextAreaElement && field.selectionStart === field.selectionEnd
    ? field.selectionStart
    : null;
}

function giveUp(key: string) {
  const texts = { title: "Give up on this trace", field: "Why?", action: "Give up, next" };
  return openTestPage({ page: <TextDialog keep={key} {...texts} onDone={nothing} onClose={nothing} /> });
}

test("a reason that waited in its dialog is gone on with at its end", () => {
  giveUp("7:give_up");
  fireEvent.change(screen.getByLabelText("Why?"), { target: { value: "Too lo" } });
  cleanup();
  giveUp("7:give_up");
  expect(screen.getByLabelText<HTMLTextAreaElement>("Why?").value).toBe("Too lo");
  expect(caret()).toBe(6);
});

test("so is the reason of a bad problem whose kind is chosen; without one the keyboard is at the kinds", () => {
  const of = { initialText: "No picture", onDone: nothing, onClose: nothing };
  openTestPage({ page: <BadProblemDialog keep="8:bad" initialKind="missing_figure" {...of} /> });
  expect(caret()).toBe(10);
  cleanup();
  openTestPage({ page: <BadProblemDialog keep="9:bad" initialKind={null} {...of} /> });
  expect(document.activeElement).toBe(screen.getByLabelText("Needs a missing figure"));
});

test("the scratch pad opens behind its last word", () => {
  const desk = { scratch: "3 * 17 = 51", calculations: [], lookAgain: [] };
  openTestPage({
    page: (
      <Dock title="Scratch pad" keyCap="," onClose={nothing} onEnter={nothing} onLeave={nothing}>
        <ScratchPad desk={desk} onWrite={nothing} onBack={nothing} />
      </Dock>
    ),
  });
  expect(caret()).toBe(11);
});
