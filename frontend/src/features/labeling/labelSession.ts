/**
 * One label in this tab: the draft, its journal, its copy on the server, the clock and the lease. React only reads it
 * (`subscribe`, `getState`). Every change goes through `dispatch`, which journals it before anything is painted.
 */

import { ApiError, api } from "@/api/client";
import type { Journal } from "@/api/journal";
import { writerId } from "@/api/journal";
import type { CarriedRating, Label, Span, Submission } from "@/api/types";
import { Store } from "@/api/watched";
import { activeTime } from "@/protocol/activeTime";
import { type Draft, type DraftAction, draftReducer, emptyContent, newDraft, withCarried } from "@/protocol/draft";
import { firstToRate } from "@/protocol/ratings";
import { protocolNamed } from "@/protocol/registry";
import { DeskClock } from "./deskClock";
import { DraftSaver, type SaveState } from "./draftSaver";
import {
  buildSubmission,
  type Choice,
  chooseDraft,
  contentFromSubmission,
  readSavedDraft,
  type SavedDraft,
} from "./submission";

export type Lease = "held" | "lost" | "surplus" | "gone";

export interface SessionState {
  draft: Draft;
  save: SaveState;
  saveDetail: string;
  lease: Lease;
  leaseDetail: string;
  /** Two copies of the work, both kept until the labeler chooses. */
  conflict: { local: SavedDraft; server: SavedDraft } | null;
}

export class LabelSession extends Store<SessionState> {
  protected state: SessionState;
  private readonly clock: DeskClock;
  private readonly startedAt: number;
  private readonly saver: DraftSaver | null;
  private revision: number;
  private updatedAt: number;
  private dirty: boolean;
  /** The places that were filled in once. If the labeler clears one, it stays clear. */
  private readonly filledIn = new Set<string>();

  /** @param revising a submitted label: its draft stays in the journal, and there is no lease. */
  constructor(
    readonly label: Label,
    readonly userId: number,
    private readonly journal: Journal,
    choice: Choice,
    readonly revising: boolean,
  ) {
    super();
    const saved = choice.kind === "use" ? choice.saved : choice.local;
    const protocol = protocolNamed(label.protocol);
    const start = label.submission && revising ? contentFromSubmission(protocol, label.submission) : null;
    const fresh = this.notYetFilledIn(label.carried);
    const content = saved?.content ?? start ?? withCarried(protocol, emptyContent(label.steps.length), fresh);
    const focus = saved?.focus ?? (revising ? 0 : firstToRate(protocol, content.ratings));
    this.clock = new DeskClock(label.id, saved?.spans ?? [], focus, {
      left: () => this.leave(),
      lost: () => this.resume(),
      submittedElsewhere: () => this.update({ lease: "gone", leaseDetail: "This label was submitted elsewhere." }),
      leased: !revising,
    });
    this.startedAt = saved?.startedAt ?? Date.now();
    this.updatedAt = saved?.updatedAt ?? 0;
    this.revision = label.draft_revision;
    this.dirty = choice.kind === "ask" || choice.dirty;
    this.state = {
      draft: newDraft(protocol, content, Math.min(focus, label.steps.length - 1)),
      save: "saved",
      saveDetail: "",
      lease: label.surplus ? "surplus" : "held",
      leaseDetail: "",
      conflict: choice.kind === "ask" ? { local: choice.local, server: choice.server } : null,
    };
    this.saver = revising ? null : new DraftSaver(label.id, label.draft_revision, this.saverHooks());
    if (this.dirty && !this.state.conflict) this.saver?.schedule();
  }

  /** Open a label with the best copy of its draft. */
  static async open(label: Label, userId: number, journal: Journal, revising: boolean): Promise<LabelSession> {
    const entry = await journal.getDraft(userId, label.id);
    const local = entry && readSavedDraft(entry.saved, label.steps.length);
    const server = revising ? null : readSavedDraft(label.draft, label.steps.length);
    const choice = chooseDraft(
      entry && local ? { saved: local, baseRevision: entry.baseRevision, dirty: entry.dirty } : null,
      { saved: server, revision: label.draft_revision },
    );
    return new LabelSession(label, userId, journal, choice, revising);
  }

  private saverHooks() {
    return {
      current: () => this.saved(Date.now()),
      changed: (save: SaveState, saveDetail: string) => this.update({ save, saveDetail }),
      saved: (revision: number, updatedAt: number) => {
        this.revision = revision;
        this.dirty = this.updatedAt > updatedAt;
        this.writeJournal(Date.now());
      },
      conflict: (server: unknown, revision: number) => this.meetConflict(server, revision),
    };
  }

  readonly dispatch = (action: DraftAction): void => {
    const draft = draftReducer(this.state.draft, action);
    if (draft === this.state.draft) return;
    const now = Date.now();
    this.clock.lookAt(draft.focus);
    if (draft.content !== this.state.draft.content) {
      this.updatedAt = now;
      this.dirty = true;
    }
    this.state = { ...this.state, draft };
    this.writeJournal(now);
    if (this.dirty) this.saver?.schedule();
    this.update({});
  };

  private notYetFilledIn(carried: readonly CarriedRating[]): CarriedRating[] {
    const fresh = carried.filter(({ step, completion }) => !this.filledIn.has(`${step}/${completion}`));
    for (const { step, completion } of fresh) this.filledIn.add(`${step}/${completion}`);
    return fresh;
  }

  /** Also fill in what the labeler rated after this label was leased ahead. It does not count as work on this label. */
  carry(carried: readonly CarriedRating[]): void {
    const fresh = this.revising || this.state.conflict ? [] : this.notYetFilledIn(carried);
    const draft = draftReducer(this.state.draft, { type: "carry", carried: fresh });
    if (draft === this.state.draft) return;
    this.clock.lookAt(draft.focus);
    this.update({ draft });
  }

  /** After undo across submission: continue with the history of the session that was submitted. */
  adoptHistory(earlier: Draft): void {
    if (earlier.content.ratings.length !== this.label.steps.length) return;
    this.state = { ...this.state, draft: earlier };
    this.updatedAt = Date.now();
    this.dirty = true;
    this.writeJournal(this.updatedAt);
    this.saver?.schedule();
  }

  /** Return whether this label has nothing to undo. Undo then applies to the label before it. */
  readonly isUntouched = (): boolean => this.state.draft.past.length === 0;

  /** Return the label's submission. */
  submission(key: string, build: string, now: number): Submission {
    return buildSubmission(this.saved(now), this.label, key, build, now);
  }

  /** Return whether the labeler has done anything in this label. */
  hasWork(): boolean {
    return this.updatedAt > 0;
  }

  saved(now: number): SavedDraft {
    return {
      version: 1,
      content: this.state.draft.content,
      focus: this.state.draft.focus,
      spans: this.clock.spans(now),
      startedAt: this.startedAt,
      updatedAt: this.updatedAt,
      writer: writerId(),
    };
  }

  private writeJournal(now: number): void {
    void this.journal.putDraft({
      userId: this.userId,
      labelId: this.label.id,
      saved: this.saved(now),
      updatedAt: this.updatedAt,
      baseRevision: this.revision,
      dirty: this.dirty,
    });
  }

  /** Return the active milliseconds per step and in total, as of now. */
  activeTime(now: number) {
    return activeTime(this.spans(now), this.label.steps.length);
  }

  spans(now: number): readonly Span[] {
    return this.clock.spans(now);
  }

  /** Record that the labeler looks at a step, or at the problem pane (null). */
  lookAt(step: number | null): void {
    this.clock.lookAt(step);
  }

  /** Start the clock, the lease's heartbeat and the saves. Call `stop` when leaving. */
  start(): void {
    this.clock.start();
  }

  stop(): void {
    this.clock.stop();
  }

  /** After submission, stop saving drafts. The journal keeps its copy for undo. */
  close(): void {
    this.stop();
    this.saver?.stop();
  }

  private leave(): void {
    if (this.hasWork()) this.writeJournal(Date.now());
    void this.saver?.flush(true);
  }

  /** Ask for the slot again after the lease expired. The work is kept whatever the answer. */
  async resume(): Promise<void> {
    this.update({ lease: "lost", leaseDetail: "" });
    try {
      const label = await api.post<Label>(`/api/labels/${this.label.id}/resume`);
      this.update({ lease: label.surplus ? "surplus" : "held" });
    } catch (error) {
      const refused = error instanceof ApiError && error.status < 500;
      this.update(refused ? { lease: "gone", leaseDetail: error.message } : { lease: "lost" });
    }
  }

  private meetConflict(server: unknown, revision: number): number | null {
    const theirs = readSavedDraft(server, this.label.steps.length);
    const mine = this.saved(Date.now());
    this.revision = revision;
    const choice = chooseDraft({ saved: mine, baseRevision: -1, dirty: true }, { saved: theirs, revision });
    if (choice.kind === "ask") {
      this.update({ conflict: { local: choice.local, server: choice.server }, save: "waiting" });
      return null;
    }
    if (choice.saved && choice.saved !== mine) this.goOnWith(choice.saved, mine);
    return revision;
  }

  /** Continue with the copy that the labeler chose. */
  settle(keep: "local" | "server"): void {
    const { conflict } = this.state;
    if (!conflict) return;
    const { local, server } = conflict;
    this.clock.add(server.spans);
    if (keep === "server") this.goOnWith(server, local);
    else this.goOnWith(local, server);
    this.saver?.writeOver(this.revision);
  }

  /** Discard the other copy, except for undo. */
  private goOnWith(chosen: SavedDraft, other: SavedDraft): void {
    const { protocol, past, focus } = this.state.draft;
    const draft = newDraft(protocol, chosen.content, chosen.focus);
    this.updatedAt = Date.now();
    this.dirty = true;
    this.update({ conflict: null, draft: { ...draft, past: [...past, { content: other.content, focus }] } });
    this.writeJournal(this.updatedAt);
  }
}
