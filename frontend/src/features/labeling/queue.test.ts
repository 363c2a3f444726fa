import { expect, test } from "vitest";
import type { Claim, Label } from "@/api/types";
import { advance, reconcile, takeBack } from "./queue";

function label(id: number): Label {
  return { id, status: "open" } as Label;
}
function claim(...ids: number[]): Claim {
  const [first, second] = ids;
  const empty = { code: "all_done_for_you", detail: "Done.", tasks_left: 0, next_free_in_seconds: null } as const;
  return { label: first ? label(first) : null, next: second ? label(second) : null, empty: first ? null : empty };
}
const none = new Set<number>();

test("the first claim is shown as it comes", () => {
  expect(reconcile(null, claim(1, 2), none, false)).toMatchObject({ label: { id: 1 }, next: { id: 2 }, resume: false });
});
test("an empty queue says why", () => {
  expect(reconcile(null, claim(), none, false).empty?.code).toBe("all_done_for_you");
});
test("the label in hand stays in hand, wherever the server lists it", () => {
  expect(reconcile(label(2), claim(1, 2), none, false)).toMatchObject({ label: { id: 2 }, next: { id: 1 } });
});
test("a label waiting in the outbox is never shown again", () => {
  expect(reconcile(null, claim(1, 2), new Set([1]), false)).toMatchObject({ label: { id: 2 }, next: null });
  expect(reconcile(label(1), claim(1), new Set([1]), true)).toMatchObject({ label: null });
});
test("a label with work that the server gave away is kept, and its place asked for", () => {
  expect(reconcile(label(5), claim(1, 2), none, true)).toMatchObject({
    label: { id: 5 },
    next: { id: 1 },
    resume: true,
  });
});
test("an untouched label that the server gave away makes way", () => {
  expect(reconcile(label(5), claim(1), none, false)).toMatchObject({ label: { id: 1 }, resume: false });
});
test("submission shows the label leased ahead, and undo brings both back", () => {
  const after = advance({ next: label(2) });
  expect(after.label?.id).toBe(2);
  expect(takeBack(after, label(1))).toMatchObject({ label: { id: 1 }, next: { id: 2 } });
});
