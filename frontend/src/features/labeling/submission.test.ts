import { describe, expect, test } from "vitest";
import { UNNAMED } from "@/api/journal";
import type { Label } from "@/api/types";
import { candidateRows, NOTHING_SAID } from "@/protocol/afterError";
import { draftReducer, emptyContent, newDraft } from "@/protocol/draft";
import { FIRST_ERROR } from "@/protocol/firstError";
import { buildSubmission, chooseDraft, contentFromSubmission, readSavedDraft, type SavedDraft } from "./submission";

const label: Label = {
  id: 1,
  status: "open",
  project: { slug: "p", name: "P" },
  round: { id: 1, number: 1, name: "" },
  protocol: "first_error",
  problem: { text: "?", answer: "4", accepted_answers: [], subject: "", level: "" },
  typed_steps: null,
  steps: ["a", "b", "c"],
  alternatives: [
    { id: 7, step: 1, text: "x" },
    { id: 8, step: 2, text: "y" },
  ],
  after_error: { kinds: [], asked: [], suggests: false },
  carried: [],
  earlier_labels: 0,
  outcome: "wrong",
  leased_until: null,
  server_time: "2026-01-01T00:00:00Z",
  opened_at: null,
  finished_at: null,
  draft: null,
  draft_revision: 0,
  guideline_version: 1,
  surplus: false,
  submission: null,
  can_revise_until: null,
  reference_solution_available: false,
  machine: null,
};

function saved(over: Partial<SavedDraft> = {}): SavedDraft {
  return {
    version: 1,
    content: emptyContent(3),
    focus: 0,
    spans: [],
    startedAt: 1_000,
    updatedAt: 2_000,
    writer: "here",
    ...over,
  };
}

describe("buildSubmission", () => {
  test("sends alternatives only of the step with the error, and the mistake only when something was said", () => {
    let draft = newDraft(FIRST_ERROR, emptyContent(3));
    for (const [step, rating, flagged] of [
      [1, 1, false],
      [2, 0, true],
    ] as const) {
      const explained = { step, kind: "explanation" as const, number: 1, text: "why" };
      for (const row of candidateRows(step, label.alternatives, [explained])) {
        draft = draftReducer(draft, { type: "rateCandidate", row, rating, flagged });
      }
    }
    draft = draftReducer(draft, { type: "rate", step: 0, rating: 1 });
    draft = draftReducer(draft, { type: "rate", step: 1, rating: -1 });
    const sent = buildSubmission(saved({ content: draft.content }), label, "k", "b", 5_000);
    expect(sent.alternatives).toEqual([{ completion: 7, rating: 1, flagged: false }]);
    expect(sent.suggestions).toEqual([{ step: 1, kind: "explanation", number: 1, rating: 1, flagged: false }]);
    expect(sent.mistake).toBeNull();
    expect(sent.finish_reason).toBe("found_error");
    expect(sent.total_ms).toBe(4_000);
  });
  test("kind and text go only with the finish reasons they belong to", () => {
    const content = {
      ...emptyContent(3),
      finish: "bad_problem" as const,
      finishKind: "vague" as const,
      finishText: " unclear ",
    };
    expect(buildSubmission(saved({ content }), label, "k", "b", 0).finish_detail).toEqual({
      kind: "vague",
      text: "unclear",
    });
    expect(buildSubmission(saved({ content: { ...content, finish: null } }), label, "k", "b", 0).finish_detail).toEqual(
      {},
    );
  });
  test("a submission turned back into a draft sends the same submission again", () => {
    const content = {
      ...emptyContent(3),
      ratings: [1, -1, null] as const,
      noticedAtStep: 2,
      mistake: { ...NOTHING_SAID, progress: "some" as const, explanation: "sign", clause: "§2" },
      suggestions: [{ step: 1, kind: "explanation" as const, number: 2, rating: -1 as const, flagged: false }],
      comments: { 0: "fine" },
      reports: [{ kind: "answer_wrong" as const, step: null, text: "5" }],
      carried: [{ step: 0, completion: null }],
    };
    const sent = buildSubmission(saved({ content }), label, "k", "b", 0);
    const again = buildSubmission(saved({ content: contentFromSubmission(FIRST_ERROR, sent) }), label, "k", "b", 0);
    expect(again).toEqual(sent);
  });
});

describe("readSavedDraft", () => {
  test("anything that is not a draft of this trace is ignored", () => {
    for (const value of [
      null,
      3,
      {},
      { version: 2 },
      { version: 1, content: {} },
      saved({ content: emptyContent(2) }),
    ]) {
      expect(readSavedDraft(value, 3)).toBeNull();
    }
    expect(readSavedDraft(JSON.parse(JSON.stringify(saved())), 3)).toEqual(saved());
  });
});

describe("chooseDraft", () => {
  const other = saved({
    writer: "elsewhere",
    content: { ...emptyContent(3), ratings: [0, null, null] },
    updatedAt: 9_000,
  });
  test("without a journal the server's copy is used", () => {
    expect(chooseDraft(null, { saved: other, revision: 4 })).toMatchObject({ kind: "use", saved: other });
  });
  test("the journal wins when it grew from the server's copy", () => {
    const local = { saved: saved(), baseRevision: 4, dirty: true };
    expect(chooseDraft(local, { saved: other, revision: 4 })).toMatchObject({
      kind: "use",
      saved: local.saved,
      dirty: true,
    });
  });
  test("a journal without unsaved work gives way to the server", () => {
    expect(chooseDraft({ saved: saved(), baseRevision: 3, dirty: false }, { saved: other, revision: 4 })).toMatchObject(
      { saved: other },
    );
  });
  test("a save of this browser whose answer was lost is no conflict", () => {
    const mine = saved({ updatedAt: 1_500 });
    const local = { saved: saved({ content: other.content }), baseRevision: 3, dirty: true };
    expect(chooseDraft(local, { saved: mine, revision: 4 })).toMatchObject({
      kind: "use",
      saved: local.saved,
      dirty: true,
    });
  });
  test("a save of this browser that its journal had no time for is none either, and is the newer work", () => {
    const newer = saved({ content: other.content, updatedAt: 2_050 });
    const local = { saved: saved(), baseRevision: 3, dirty: true };
    expect(chooseDraft(local, { saved: newer, revision: 4 })).toEqual({ kind: "use", saved: newer, dirty: false });
  });
  test("browsers that keep no name are not one", () => {
    const newer = saved({ ...other, writer: UNNAMED });
    const local = { saved: saved({ writer: UNNAMED }), baseRevision: 3, dirty: true };
    expect(chooseDraft(local, { saved: newer, revision: 4 }).kind).toBe("ask");
  });
  test("different work from elsewhere asks, and keeps both", () => {
    const local = { saved: saved(), baseRevision: 3, dirty: true };
    expect(chooseDraft(local, { saved: other, revision: 4 })).toEqual({
      kind: "ask",
      local: local.saved,
      server: other,
    });
  });
  test("the same work from elsewhere does not ask", () => {
    const local = { saved: saved({ content: other.content }), baseRevision: 3, dirty: true };
    expect(chooseDraft(local, { saved: other, revision: 4 }).kind).toBe("use");
  });
});
