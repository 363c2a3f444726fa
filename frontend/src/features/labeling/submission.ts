/** Converts a draft into a submission for the server, and back. Pure. */
import { UNNAMED } from "@/api/journal";
import type { Label, Span, Submission } from "@/api/types";
import { NOTHING_SAID, saysSomething } from "@/protocol/afterError";
import { type DraftContent, emptyContent, finishReason } from "@/protocol/draft";
import type { LabelingProtocol } from "@/protocol/interface";
import { errorStep } from "@/protocol/ratings";
import { protocolNamed } from "@/protocol/registry";
import { NO_MARKS, saysNothing } from "@/protocol/runMarks";

/** The draft as saved on the server and in the journal. */
export interface SavedDraft {
  version: 1;
  content: DraftContent;
  focus: number;
  spans: readonly Span[];
  /** When this label was first shown, in epoch milliseconds. */
  startedAt: number;
  updatedAt: number;
  /** The browser that wrote it. Its own earlier copy is never a conflict. */
  writer: string;
}

const MOST_SPANS = 20_000;

/** Return as many spans as the server accepts, in whole milliseconds. */
export function sentSpans(spans: readonly Span[]): Span[] {
  return spans.slice(-MOST_SPANS).map(({ step, start, end }) => ({
    step,
    start: Math.round(start),
    end: Math.round(end),
  }));
}

export function buildSubmission(
  saved: SavedDraft,
  label: Label,
  idempotencyKey: string,
  build: string,
  now: number,
): Submission {
  const { content } = saved;
  const protocol = protocolNamed(label.protocol);
  const error = errorStep(protocol, content.ratings);
  const { mistake } = content;
  const offered = new Set(label.alternatives.filter((one) => one.step === error).map((one) => one.id));
  return {
    idempotency_key: idempotencyKey,
    finish_reason: finishReason(protocol, content),
    finish_detail: {
      ...(content.finish === "bad_problem" && content.finishKind ? { kind: content.finishKind } : {}),
      ...(content.finish === "bad_problem" || content.finish === "give_up" ? { text: content.finishText.trim() } : {}),
    },
    ratings: [...content.ratings],
    path: null,
    noticed_at_step: content.noticedAtStep,
    mistake:
      error >= 0 && saysSomething(mistake)
        ? { ...mistake, explanation: mistake.explanation.trim(), corrected_step: mistake.corrected_step.trim() }
        : null,
    alternatives: content.alternatives.filter((one) => offered.has(one.completion)),
    suggestions: content.suggestions.filter((one) => one.step === error),
    carried: content.carried.filter(({ completion }) => completion === null || offered.has(completion)),
    comments: Object.entries(content.comments).map(([step, text]) => ({ step: Number(step), text })),
    reports: [...content.reports],
    confirmations: [...content.confirmations],
    run_marks: label.typed_steps && !saysNothing(content.runMarks) ? content.runMarks : null,
    calculations: [...content.desk.calculations],
    spans: sentSpans(saved.spans),
    total_ms: Math.max(0, Math.round(now - saved.startedAt)),
    client_build: build.slice(0, 60),
  };
}

/** Return the draft that a submitted label would have had, for revising it. */
export function contentFromSubmission(protocol: LabelingProtocol, submission: Submission): DraftContent {
  const { finish_reason: finish, finish_detail: detail, ratings } = submission;
  const chosen =
    finish === "found_error" || (finish === "solution" && errorStep(protocol, ratings) < 0) ? null : finish;
  return {
    ...emptyContent(ratings.length),
    ratings,
    noticedAtStep: submission.noticed_at_step,
    finish: chosen,
    finishKind: detail.kind || null,
    finishText: detail.text ?? "",
    mistake: { ...NOTHING_SAID, ...submission.mistake },
    alternatives: submission.alternatives,
    suggestions: submission.suggestions ?? [],
    carried: submission.carried ?? [],
    comments: Object.fromEntries(submission.comments.map(({ step, text }) => [step, text])),
    reports: submission.reports,
    confirmations: submission.confirmations,
    runMarks: { ...NO_MARKS, ...submission.run_marks },
  };
}

/** Return what the server or the journal holds if it is a draft of this trace, otherwise null. */
export function readSavedDraft(value: unknown, stepCount: number): SavedDraft | null {
  if (typeof value !== "object" || value === null) return null;
  const saved = value as Partial<SavedDraft>;
  if (saved.version !== 1 || !saved.content || !Array.isArray(saved.content.ratings)) return null;
  if (saved.content.ratings.length !== stepCount) return null;
  return {
    version: 1,
    content: {
      ...emptyContent(stepCount),
      ...saved.content,
      mistake: { ...NOTHING_SAID, ...saved.content.mistake },
      runMarks: { ...NO_MARKS, ...saved.content.runMarks },
    },
    focus: typeof saved.focus === "number" ? saved.focus : 0,
    spans: Array.isArray(saved.spans) ? saved.spans : [],
    startedAt: saved.startedAt ?? Date.now(),
    updatedAt: saved.updatedAt ?? 0,
    writer: saved.writer ?? "",
  };
}

/** What every saved draft has, whatever is being labeled. */
type Saved = Pick<SavedDraft, "writer" | "updatedAt"> & { content: unknown };

export type Choice<One extends Saved = SavedDraft> =
  | { kind: "use"; saved: One | null; dirty: boolean }
  | { kind: "ask"; local: One; server: One };

/**
 * Choose which of two copies to continue with. The journal's copy wins if it grew from what the server holds. Of two
 * copies by this browser, the newer one wins: an older copy at the server is a save whose answer was lost, and an older
 * copy here means the page was left before its journal had what its last save sent. The labeler is asked only if the
 * copies differ and may come from different browsers.
 */
export function chooseDraft<One extends Saved>(
  local: { saved: One; baseRevision: number; dirty: boolean } | null,
  server: { saved: One | null; revision: number },
): Choice<One> {
  if (!local) return { kind: "use", saved: server.saved, dirty: false };
  if (!server.saved || local.baseRevision === server.revision)
    return { kind: "use", saved: local.saved, dirty: local.dirty };
  if (!local.dirty) return { kind: "use", saved: server.saved, dirty: false };
  const own = server.saved.writer === local.saved.writer;
  if (own && server.saved.updatedAt <= local.saved.updatedAt) return { kind: "use", saved: local.saved, dirty: true };
  if (own && local.saved.writer !== UNNAMED) return { kind: "use", saved: server.saved, dirty: false };
  if (JSON.stringify(server.saved.content) === JSON.stringify(local.saved.content)) {
    return { kind: "use", saved: local.saved, dirty: false };
  }
  return { kind: "ask", local: local.saved, server: server.saved };
}
