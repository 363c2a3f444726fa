/** The desk's fields have their limits as numbers, so that its first step loads nothing more: here they are compared. */
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import * as limits from "@/api/limits";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { InlineText } from "./InlineForms";
import { CalculatorBar } from "./LineBars";
import { TextDialog } from "./ReasonDialogs";

afterEach(closeTestPage);

const nothing = () => undefined;
Element.prototype.scrollIntoView ??= nothing; // jsdom has no layout
const most = (name: string) => screen.getByLabelText<HTMLInputElement | HTMLTextAreaElement>(name).maxLength;

test("what a labeler types may be as long as the server takes, and no longer", () => {
  openTestPage({ page: <InlineText title="A comment" field="Comment" initial="" onKeep={nothing} /> });
  expect(most("Comment")).toBe(limits.Comment.text.maxLength);
  expect(most("Comment")).toBe(limits.Report.text.maxLength);
  cleanup();
  const texts = { title: "Give up on this trace", field: "Why?", action: "Give up, next" };
  openTestPage({ page: <TextDialog keep="7:give_up" {...texts} onDone={nothing} onClose={nothing} /> });
  expect(most("Why?")).toBe(limits.FinishDetail.text.maxLength);
  expect(most("Why?")).toBe(limits.Confirmation.reason.maxLength);
  cleanup();
  openTestPage({ page: <CalculatorBar calculations={[]} onCalculated={nothing} onLeave={nothing} /> });
  expect(most("Calculate")).toBe(limits.Calculation.input.maxLength);
});
