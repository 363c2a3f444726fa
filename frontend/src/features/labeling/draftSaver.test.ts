import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pageBelongsTo } from "@/api/client";
import { DraftSaver, type SaveState } from "./draftSaver";
import type { SavedDraft } from "./submission";

const answers: Response[] = [];
const sent: number[] = [];
const states: SaveState[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { cookie: "csrftoken=of-whoever-logged-in" });
  vi.stubGlobal("fetch", async () => {
    sent.push(Date.now());
    return answers.shift() ?? Response.json({ draft_revision: 1 });
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  for (const list of [answers, sent, states]) list.length = 0;
});

function saver(): DraftSaver {
  return new DraftSaver(1, 0, {
    current: () => ({ updatedAt: 0 }) as SavedDraft,
    changed: (state) => states.push(state),
    saved: () => undefined,
    conflict: () => null,
  });
}

test.each([408, 425, 429, 500, 502, 503])(
  "a draft that meets %i is tried again with growing pauses",
  async (status) => {
    answers.push(...[1, 2, 3].map(() => Response.json({ code: "later", detail: "Later." }, { status })));
    const made = saver();
    made.schedule();
    await vi.advanceTimersByTimeAsync(1_500 + 5_000 + 10_000 + 20_000);
    made.stop();
    expect(sent.slice(1).map((at, place) => at - (sent[place] ?? 0))).toEqual([5_000, 10_000, 20_000]);
    expect(states.filter((state) => state !== "saving")).toEqual(["waiting", "offline", "offline", "offline", "saved"]);
  },
);

test("a draft that is refused for good is not sent again", async () => {
  answers.push(Response.json({ code: "invalid", detail: "No." }, { status: 400 }));
  const made = saver();
  made.schedule();
  await vi.advanceTimersByTimeAsync(200_000);
  made.stop();
  expect([sent.length, states.at(-1)]).toEqual([1, "refused"]);
});

test("a draft waits while somebody else is logged in, and stays its person's whoever has the page by then", async () => {
  const persons: (string | undefined)[] = [];
  const others = { code: "other_person", detail: "Somebody else has logged in in this browser." };
  vi.stubGlobal("fetch", async (_: string, { headers }: { headers: Record<string, string> }) => {
    persons.push(headers["X-Stepmark-Person"]);
    return persons.length < 3 ? Response.json(others, { status: 401 }) : Response.json({ draft_revision: 1 });
  });
  pageBelongsTo(5);
  const made = saver();
  made.schedule();
  await vi.advanceTimersByTimeAsync(1_500);
  pageBelongsTo(6);
  await vi.advanceTimersByTimeAsync(5_000 + 10_000);
  made.stop();
  pageBelongsTo(null);
  expect(persons).toEqual(["5", "5", "5"]);
  expect(states.filter((state) => state !== "saving")).toEqual(["waiting", "offline", "offline", "saved"]);
});

test("what a quick labeler does goes in few requests, and none of it waits for two seconds", async () => {
  const made = saver();
  const pressed: number[] = [];
  for (let key = 0; key < 30; key += 1) {
    pressed.push(Date.now());
    made.schedule();
    await vi.advanceTimersByTimeAsync(700);
  }
  await vi.advanceTimersByTimeAsync(1_500);
  made.stop();
  expect(sent.length).toBe(10);
  const waited = pressed.map((at) => Math.min(...sent.filter((then) => then >= at)) - at);
  expect(Math.max(...waited)).toBeLessThan(2_000);
});
