/** What appears on its own never takes the keyboard focus from a person who types: the next letters would rate. */
import { render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { emptyContent } from "@/protocol/draft";
import { CandidateList } from "./CandidateList";
import { ConflictDialog } from "./ConflictDialog";
import { StepRow, type StepRowProps } from "./StepRow";
import type { SavedDraft } from "./submission";

const nothing = () => undefined;

beforeEach(() => {
  Element.prototype.scrollIntoView ??= nothing; // which jsdom lacks
});
afterEach(closeTestPage);

const pad = () => screen.getByLabelText("Scratch pad");
const besideThePad = (row: React.ReactNode) => (
  <>
    <textarea aria-label="Scratch pad" />
    <ol>{row}</ol>
  </>
);

test("the step that ratings which are filled in have left to be rated", () => {
  const step = {
    step: 0,
    stepCount: 2,
    text: "a",
    pick: "no",
    rating: null,
    comment: "",
    splitReport: null,
    carried: null,
  };
  const props = { ...step, onFocus: nothing, onRate: nothing, onPick: nothing } as unknown as StepRowProps;
  const { rerender } = render(besideThePad(<StepRow {...props} focused={false} />));
  pad().focus();
  rerender(besideThePad(<StepRow {...props} focused />));
  expect(document.activeElement).toBe(pad());
  pad().blur();
  rerender(besideThePad(<StepRow {...props} focused={false} />));
  rerender(besideThePad(<StepRow {...props} focused />));
  expect(document.activeElement?.getAttribute("aria-label")).toMatch(/^Step 1 of 2/);
});

test("the row of a candidate in hand", () => {
  const row = { key: "a", kind: "alternative" as const, text: "b", completions: [1], suggestions: [] };
  const list = { title: "Other ways", content: emptyContent(1), raw: false, dispatch: nothing, onFocus: nothing };
  const { rerender } = render(besideThePad(<CandidateList {...list} rows={[]} inHand={row} />));
  pad().focus();
  rerender(besideThePad(<CandidateList {...list} rows={[row]} inHand={row} />));
  expect(document.activeElement).toBe(pad());
});

const of = (updatedAt: number): SavedDraft => ({
  ...{ version: 1, content: emptyContent(1), focus: 0, spans: [], startedAt: 0, writer: `${updatedAt}` },
  updatedAt,
});
const question = <ConflictDialog conflict={{ local: of(1), server: of(2) }} onSettle={nothing} />;

test("the question which version to keep: no letter presses its buttons, and who does not type has the newer one first", () => {
  const outside = document.body.appendChild(document.createElement("textarea"));
  outside.focus();
  openTestPage({ page: question });
  expect(document.activeElement?.tagName).toBe("P");
  expect(document.activeElement?.closest("dialog")).toBeTruthy();
  outside.remove();
});

test("the same question where nobody types", () => {
  openTestPage({ page: question });
  expect(document.activeElement?.textContent).toBe("Keep the server’s");
});
