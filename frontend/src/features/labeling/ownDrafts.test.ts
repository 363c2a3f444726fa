/** A single browser never has two versions of a label: what it sent last, and what it kept, are the same work. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Journal, writerId } from "@/api/journal";
import type { Label } from "@/api/types";
import { emptyContent } from "@/protocol/draft";
import { openSession } from "./deskSession";
import type { LabelSession } from "./labelSession";
import { EMPTY_PATH, type SavedPath } from "./pathDraft";
import type { PathSession } from "./pathSession";
import type { SavedDraft } from "./submission";

const KEPT = "So the bags hold $5 \\cdot 6 = 30$ m";
const TYPED = "So the bags hold $5 \\cdot 6 = 30$ marbles.";

const of = (updatedAt: number, writer = writerId()) =>
  ({ version: 1, spans: [], startedAt: 1, updatedAt, writer }) as const;
const onPath = (text: string, updatedAt: number, writer?: string): SavedPath => ({
  ...of(updatedAt, writer),
  protocol: "choose_step",
  content: { ...EMPTY_PATH, prefixHash: "p", step: { said: {}, text, answer: "" } },
});
const onTrace = (text: string, updatedAt: number, writer?: string): SavedDraft => ({
  ...of(updatedAt, writer),
  focus: 0,
  content: { ...emptyContent(1), comments: { 0: text } },
});

type Desk = [protocol: string, saved: typeof onPath | typeof onTrace, text: (session: never) => string | undefined];
const DESKS: Desk[] = [
  ["choose_step", onPath, (session: PathSession) => session.getState().draft.content.text],
  ["first_error", onTrace, (session: LabelSession) => session.getState().draft.content.comments[0]],
];

const path = { prefix_hash: "p", steps: [], open: null, ended: null, discarded: [] };
let server: { draft: unknown; draft_revision: number };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async (asked: string, { method, body }: RequestInit) => {
    if (method !== "PUT") return Response.json(path);
    const sent = JSON.parse(String(body)) as { draft: unknown; base_revision: number };
    if (sent.base_revision !== server.draft_revision) {
      return Response.json({ code: "draft_conflict", detail: asked, ...server }, { status: 409 });
    }
    server = { draft: sent.draft, draft_revision: server.draft_revision + 1 };
    return Response.json({ draft_revision: server.draft_revision });
  });
  // biome-ignore lint/suspicious/noDocumentCookie: as a browser keeps it
  document.cookie = "csrftoken=of-the-test";
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Open the page again, with what the journal had stored and what the server then says it has. */
async function openAgain(
  protocol: string,
  kept: SavedPath | SavedDraft,
  said: { draft: unknown; draft_revision: number },
) {
  const journal = new Journal();
  await journal.putDraft({
    userId: 1,
    labelId: 1,
    saved: kept,
    updatedAt: kept.updatedAt,
    baseRevision: 1,
    dirty: true,
  });
  const label = {
    id: 1,
    protocol,
    steps: protocol === "choose_step" ? [] : ["a"],
    carried: [],
    alternatives: [],
    ...said,
  };
  return openSession(label as unknown as Label, 1, journal);
}

test.each(DESKS)(
  "%s: a page that is left while somebody types is as it was, with all that its last save took along",
  async (protocol, saved, text) => {
    server = { draft: saved(TYPED, 2_000), draft_revision: 2 };
    const session = await openAgain(protocol, saved(KEPT, 1_900), server);
    expect([session.getState().conflict, text(session as never)]).toEqual([null, TYPED]);
    session.close();
  },
);

test.each(DESKS)("%s: so is one that was opened before that save had come", async (protocol, saved, text) => {
  server = { draft: saved(TYPED, 2_000), draft_revision: 2 };
  const session = await openAgain(protocol, saved(KEPT, 1_900), { draft: null, draft_revision: 1 });
  expect(text(session as never)).toBe(KEPT);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([session.getState().conflict, text(session as never)]).toEqual([null, TYPED]);
  expect(server.draft_revision).toBe(3);
  session.close();
});

test.each(DESKS)("%s: what another browser sent asks, as before", async (protocol, saved, text) => {
  server = { draft: saved(TYPED, 2_000, "another"), draft_revision: 2 };
  const session = await openAgain(protocol, saved(KEPT, 1_900), server);
  expect(session.getState().conflict?.server).toEqual(server.draft);
  session.settle("server");
  expect(text(session as never)).toBe(TYPED);
  session.close();
});
