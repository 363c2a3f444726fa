import { afterEach, expect, test, vi } from "vitest";
import { pageBelongsTo } from "./client";
import { Journal, type QueuedSubmission } from "./journal";
import { Outbox, traceHeaders } from "./outbox";
import { TestDisk } from "./testDisk";

afterEach(() => {
  vi.unstubAllGlobals();
  pageBelongsTo(null);
});

function queued(labelId: number): QueuedSubmission {
  const key = `0123abcd-4567-4abc-8def-${String(labelId).padStart(12, "0")}`;
  const about = { userId: 1, labelId, slug: "maths", action: "submit", problemText: "", finish: "solution" } as const;
  const submission = {} as QueuedSubmission["submission"];
  return { ...about, key, submission, queuedAt: labelId, attempts: 0, refusal: null };
}

test("The trace of a submission has its key, so that a second try belongs to the same one", () => {
  const headers = traceHeaders("0123abcd-4567-4abc-8def-0123456789ab", 1499.6);
  expect(headers).toEqual({
    traceparent: "00-0123abcd45674abc8def0123456789ab-8def0123456789ab-01",
    "X-Stepmark-Pressed": "1500",
  });
});

test("A key that is no UUID, or a clock that was set back, makes no header that nobody can read", () => {
  expect(traceHeaders("by hand", 10)).toEqual({});
  expect(traceHeaders("0123abcd-4567-4abc-8def-0123456789ab", -5)["X-Stepmark-Pressed"]).toBe("0");
});

test("A submission that comes while the journal is being read is sent like any other", async () => {
  const sent: string[] = [];
  vi.stubGlobal("fetch", (address: string) => {
    if (address.endsWith("/submit")) sent.push(address);
    return Promise.resolve(Response.json({ id: sent.length, surplus: false }));
  });
  const outbox = new Outbox(1, await Journal.open());
  outbox.enqueue(queued(7)); // the outbox has just started to read what an earlier page left
  await vi.waitFor(() => expect(sent).toEqual(["/api/labels/7/submit"]));
  await vi.waitFor(() => expect(outbox.getState().items).toEqual([]));
  // the same again, right after another one is sent
  outbox.onSent(({ item }) => item.labelId === 8 && setTimeout(() => outbox.enqueue(queued(9)), 0));
  outbox.enqueue(queued(8));
  await vi.waitFor(() => expect(sent).toContain("/api/labels/9/submit"));
});

test("A submission that was taken is not told as refused because the page stumbled over the news", async () => {
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ id: 1, surplus: false })));
  const outbox = new Outbox(3, await Journal.open());
  const told: number[] = [];
  outbox.onSent(() => {
    throw new Error("stumbled");
  });
  outbox.onSent(({ item }) => told.push(item.labelId));
  outbox.enqueue({ ...queued(11), userId: 3 });
  outbox.enqueue({ ...queued(12), userId: 3 });
  await vi.waitFor(() => expect(told).toEqual([11, 12]));
  await vi.waitFor(() => expect(outbox.getState()).toEqual({ items: [], sending: false, unreachable: false }));
  expect(reported).toHaveBeenCalledTimes(2);
});

test("A journal that fails for a moment delays a submission and does not end the sending", async () => {
  vi.stubGlobal("reportError", vi.fn());
  const sent: string[] = [];
  vi.stubGlobal("fetch", (address: string) => {
    if (address.includes("/13/")) sent.push(address);
    return Promise.resolve(Response.json({ id: 1, surplus: false }));
  });
  const journal = await Journal.open();
  vi.spyOn(journal, "deleteQueued").mockRejectedValueOnce(new Error("the disk is busy"));
  const outbox = new Outbox(4, journal);
  outbox.enqueue({ ...queued(13), userId: 4 });
  await vi.waitFor(() => expect(outbox.getState()).toEqual({ items: [], sending: false, unreachable: false }), 5_000);
  expect(sent).toHaveLength(2);
});

test("A submission is sent also where the disk is full and keeps nothing of it", async () => {
  const disk = new TestDisk();
  disk.room = 0;
  vi.stubGlobal("indexedDB", disk.indexedDB);
  const sent: string[] = [];
  vi.stubGlobal("fetch", (address: string) => {
    if (address.endsWith("/submit")) sent.push(address);
    return Promise.resolve(Response.json({ id: 7, surplus: false }));
  });
  const outbox = new Outbox(5, await Journal.open());
  outbox.enqueue({ ...queued(14), userId: 5 });
  await vi.waitFor(() => expect(sent).toEqual(["/api/labels/14/submit"]));
  await vi.waitFor(() => expect(outbox.getState()).toEqual({ items: [], sending: false, unreachable: false }));
  await outbox.flush();
  expect(sent).toHaveLength(1);
});

test("A submission waits while somebody else is logged in, and is sent when its person is let in again", async () => {
  let cookie = 99;
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", (address: string, { headers }: { headers: Record<string, string> }) => {
    if (!address.includes("/15/")) return Promise.resolve(Response.json({}));
    const person = headers["X-Stepmark-Person"] ?? null;
    asked.push(person);
    const other = { code: "other_person", detail: "Somebody else has logged in in this browser." };
    const answer = person === String(cookie) ? { id: 15, surplus: false } : other;
    return Promise.resolve(Response.json(answer, { status: answer === other ? 401 : 200 }));
  });
  const told = vi.fn();
  window.addEventListener("stepmark:logged-out", told);
  pageBelongsTo(99);
  const outbox = new Outbox(6, await Journal.open());
  outbox.enqueue({ ...queued(15), userId: 6 });
  await vi.waitFor(() => expect(outbox.getState().unreachable).toBe(true));
  expect(outbox.getState().items).toMatchObject([{ labelId: 15, refusal: null }]);
  pageBelongsTo(null);
  cookie = 6;
  const before = asked.length;
  pageBelongsTo(6);
  await vi.waitFor(() => expect(outbox.getState().items).toEqual([]), 500); // at once, not after the next pause
  window.removeEventListener("stepmark:logged-out", told);
  expect(new Set(asked)).toEqual(new Set(["6"]));
  expect(asked).toHaveLength(before + 1);
  expect(told).not.toHaveBeenCalled(); // the page of 99 does not ask who is logged in
});
