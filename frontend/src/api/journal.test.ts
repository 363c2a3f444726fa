import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Journal, type JournaledDraft, type QueuedSubmission } from "./journal";
import { TestDisk } from "./testDisk";

let disk: TestDisk;

beforeEach(() => {
  disk = new TestDisk();
  vi.stubGlobal("indexedDB", disk.indexedDB);
});

afterEach(() => vi.unstubAllGlobals());

function draft(updatedAt: number): JournaledDraft {
  return { userId: 1, labelId: 7, saved: `of ${updatedAt}`, updatedAt, baseRevision: 0, dirty: true };
}

function queued(key: string, more: Partial<QueuedSubmission> = {}): QueuedSubmission {
  return { key, userId: 1, labelId: 7, queuedAt: 1, attempts: 0, refusal: null, ...more } as QueuedSubmission;
}

async function keysOf(journal: Journal): Promise<string[]> {
  return (await journal.listQueued(1)).map((item) => item.key);
}

test("A draft that a full disk refuses is what is read again, and not the older one that it had taken", async () => {
  const journal = await Journal.open();
  await journal.putDraft(draft(1));
  expect([journal.durable, await journal.getDraft(1, 7)]).toEqual([true, draft(1)]);
  disk.room = 0;
  await journal.putDraft(draft(2));
  expect([journal.durable, await journal.getDraft(1, 7)]).toEqual([false, draft(2)]);
});

test("A draft that was refused gives way to a newer one that another tab could keep", async () => {
  const journal = await Journal.open();
  disk.room = 0;
  await journal.putDraft(draft(2));
  disk.room = Number.POSITIVE_INFINITY;
  await (await Journal.open()).putDraft(draft(3));
  expect(await journal.getDraft(1, 7)).toEqual(draft(3));
});

test("A draft is kept again as soon as the disk has room, and is then the other tabs' to change", async () => {
  const journal = await Journal.open();
  disk.room = 0;
  await journal.putDraft(draft(2));
  disk.room = Number.POSITIVE_INFINITY;
  await journal.putDraft(draft(3));
  const other = await Journal.open();
  expect(await other.getDraft(1, 7)).toEqual(draft(3));
  await other.deleteDraft(1, 7);
  expect(await journal.getDraft(1, 7)).toBeNull();
});

test("A draft that was deleted stays away where the disk refused that, until a newer one is written", async () => {
  const journal = await Journal.open();
  await journal.putDraft(draft(1));
  disk.room = 0;
  await journal.deleteDraft(1, 7);
  expect(await journal.getDraft(1, 7)).toBeNull();
  disk.room = Number.POSITIVE_INFINITY;
  const later = draft(Date.now() + 1_000);
  await (await Journal.open()).putDraft(later);
  expect(await journal.getDraft(1, 7)).toEqual(later);
});

test("A draft that is written anew after it was deleted is there, whatever the disk took of the two", async () => {
  const journal = await Journal.open();
  await journal.putDraft(draft(1));
  await journal.deleteDraft(1, 7);
  disk.room = 0;
  await journal.putDraft(draft(2));
  expect(await journal.getDraft(1, 7)).toEqual(draft(2));
});

test("Of two writes on their way the earlier one, taken, does not speak for the later one, refused", async () => {
  const journal = await Journal.open();
  disk.room = 1;
  await Promise.all([journal.putDraft(draft(1)), journal.putDraft(draft(2))]);
  expect([...disk.rows.drafts.values()]).toEqual([draft(1)]);
  expect(await journal.getDraft(1, 7)).toEqual(draft(2));
});

test("A submission that a full disk refuses waits beside those that it had taken, oldest first", async () => {
  const journal = await Journal.open();
  await journal.putQueued(queued("kept", { queuedAt: 2 }));
  disk.room = 0;
  await journal.putQueued(queued("refused", { queuedAt: 3 }));
  await journal.putQueued(queued("refused before", { queuedAt: 1 }));
  expect(await keysOf(journal)).toEqual(["refused before", "kept", "refused"]);
  expect(await keysOf(await Journal.open())).toEqual(["kept"]);
});

test("Submissions that the disk refused are in the page alone until it takes them or the server has them", async () => {
  const journal = await Journal.open();
  await journal.putQueued(queued("kept"));
  expect(journal.submissionsHereAlone()).toBe(0);
  disk.room = 0;
  await journal.putQueued(queued("refused"));
  await journal.putQueued(queued("refused too"));
  expect(journal.submissionsHereAlone()).toBe(2);
  await journal.deleteQueued("refused");
  expect(journal.submissionsHereAlone()).toBe(1);
  disk.room = Number.POSITIVE_INFINITY;
  await journal.putQueued(queued("refused too", { attempts: 1 }));
  expect(journal.submissionsHereAlone()).toBe(0);
});

test("A submission whose deletion a full disk refused is not waiting any more", async () => {
  const journal = await Journal.open();
  await journal.putQueued(queued("sent"));
  disk.room = 0;
  await journal.deleteQueued("sent");
  expect(await keysOf(journal)).toEqual([]);
});

test("The server's refusal is known where only the submission itself could be kept", async () => {
  const journal = await Journal.open();
  await journal.putQueued(queued("refused"));
  disk.room = 0;
  const refusal = { code: "invalid", detail: "No." };
  await journal.putQueued(queued("refused", { attempts: 1, refusal }));
  expect((await journal.listQueued(1))[0]?.refusal).toEqual(refusal);
});

test("What another tab has sent is not sent once more by the one whose last note of it was refused", async () => {
  const [one, other] = [await Journal.open(), await Journal.open()];
  await one.putQueued(queued("shared"));
  disk.room = 0;
  await one.putQueued(queued("shared", { attempts: 1 }));
  disk.room = Number.POSITIVE_INFINITY;
  await other.deleteQueued("shared");
  expect(await keysOf(one)).toEqual([]);
});

test("What this tab has in hand waits also where the disk cannot be read", async () => {
  const journal = await Journal.open();
  await journal.putQueued(queued("here"));
  disk.broken = true;
  expect(await keysOf(journal)).toEqual(["here"]);
});
