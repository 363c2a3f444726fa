import undo from "@cases/undo_cases.json";
import { expect, test } from "vitest";
import type { Claim, Label } from "@/api/types";
import { pathCommandNamed } from "@/protocol/choose_step/commands";
import { commandNamed } from "@/protocol/commands";
import { advance, EMPTY_QUEUE, reconcile, type Stock, stocked, takeBack, UNDO_MS, withoutRound } from "./queue";

function label(id: number): Label {
  return { id, status: "open" } as Label;
}
function claim(...ids: number[]): Claim {
  const [first, second, ...further] = ids;
  const empty = { code: "all_done_for_you", detail: "Done.", tasks_left: 0, next_free_in_seconds: null } as const;
  return {
    label: first ? label(first) : null,
    next: second ? label(second) : null,
    empty: first ? null : empty,
    further,
    leased: null,
  };
}
const none = new Set<number>();
const nothing: Stock = new Map();
const stockOf = (...ids: number[]): Stock => new Map(ids.map((id) => [id, label(id)]));

test("the first claim is shown as it comes", () => {
  expect(reconcile(null, claim(1, 2), none, false, nothing)).toMatchObject({
    label: { id: 1 },
    next: { id: 2 },
    resume: false,
  });
});
test("an empty queue says why", () => {
  expect(reconcile(null, claim(), none, false, nothing).empty?.code).toBe("all_done_for_you");
});
test("the label in hand stays in hand, wherever the server lists it", () => {
  expect(reconcile(label(2), claim(1, 2), none, false, nothing)).toMatchObject({ label: { id: 2 }, next: { id: 1 } });
});
test("a label waiting in the outbox is never shown again", () => {
  expect(reconcile(null, claim(1, 2), new Set([1]), false, nothing)).toMatchObject({ label: { id: 2 }, next: null });
  expect(reconcile(label(1), claim(1), new Set([1]), true, nothing)).toMatchObject({ label: null });
});
test("a label with work that the server gave away is kept, and its place asked for", () => {
  expect(reconcile(label(5), claim(1, 2), none, true, nothing)).toMatchObject({
    label: { id: 5 },
    next: { id: 1 },
    resume: true,
  });
});
test("an untouched label that the server gave away makes way", () => {
  expect(reconcile(label(5), claim(1), none, false, nothing)).toMatchObject({ label: { id: 1 }, resume: false });
});
test("submission shows the label leased ahead, and undo brings both back", () => {
  const after = advance({ ...EMPTY_QUEUE, next: label(2) }, nothing);
  expect(after.label?.id).toBe(2);
  expect(takeBack(after, label(1))).toMatchObject({ label: { id: 1 }, next: { id: 2 } });
});
test("without a network one label after the other is shown, in the order of their lease", () => {
  let queue = reconcile(null, claim(1, 2, 3, 4, 5, 6), none, false, stockOf(3, 4, 5, 6));
  const shown = [queue.label?.id];
  for (let done = 0; done < 6; done += 1) {
    queue = advance(queue, stockOf(3, 4, 5, 6));
    shown.push(queue.label?.id);
  }
  expect(shown).toEqual([1, 2, 3, 4, 5, 6, undefined]);
});
test("a label that is still on its way is the next once it has come, and is shown where nothing is", () => {
  const waits = reconcile(null, claim(1, 2, 3), none, false, nothing);
  const sent = advance(waits, nothing);
  expect(sent).toMatchObject({ label: { id: 2 }, next: null, further: [3] });
  expect(stocked(sent, stockOf(3))).toMatchObject({ label: { id: 2 }, next: { id: 3 }, further: [] });
  expect(stocked(advance(sent, nothing), stockOf(3))).toMatchObject({ label: { id: 3 }, next: null });
});
test("undo puts what is shown before all that is ahead", () => {
  const before = { ...EMPTY_QUEUE, label: label(2), next: label(3), further: [4] };
  expect(takeBack(before, label(1))).toMatchObject({ label: { id: 1 }, next: { id: 2 }, further: [3, 4] });
});
test("of a round that was closed only what was begun stays, and another round's comes forward", () => {
  const of = (id: number, number: number) => ({ ...label(id), round: { number } }) as Label;
  const stock: Stock = new Map([of(3, 2), of(4, 1)].map((one) => [one.id, one]));
  const queue = { ...EMPTY_QUEUE, label: of(1, 2), next: of(2, 2), further: [3, 4] };
  expect(withoutRound(queue, 2, () => false, stock)).toMatchObject({ label: { id: 4 }, next: null, further: [] });
  expect(withoutRound(queue, 2, (id) => id === 1, stock)).toMatchObject({ label: { id: 1 }, next: { id: 4 } });
  expect(withoutRound(queue, 3, () => false, stock)).toMatchObject({ label: { id: 1 }, next: { id: 2 } });
  expect(withoutRound({ ...EMPTY_QUEUE, label: of(1, 2) }, 2, () => false, stock).label).toBeNull();
});
test("a submission is offered to be taken back for as long as the server takes it back, and the help says so", () => {
  expect(UNDO_MS).toBe(undo.seconds * 1_000);
  expect(undo.cases.map(({ after_seconds }) => after_seconds * 1_000 < UNDO_MS)).toEqual(
    undo.cases.map(({ taken_back }) => taken_back),
  );
  for (const { title } of [commandNamed("undo"), pathCommandNamed("undo")]) {
    expect(title).toContain(`up to ${undo.seconds} s`);
  }
});
