/**
 * What this tab keeps of a path, whatever the server says about it: the draft of the open step, its journal, its copy
 * on the server, the clock and the lease. React only reads it (`subscribe`, `getState`). Requests to the server are
 * made by `pathSession.ts`.
 */

import { ApiError, api } from "@/api/client";
import { type Journal, writerId } from "@/api/journal";
import type { Path } from "@/api/pathTypes";
import type { Label, Submission } from "@/api/types";
import { Store } from "@/api/watched";
import { activeTime } from "@/protocol/activeTime";
import { newStepDraft, rowInHand, type StepDraft } from "@/protocol/choose_step/stepDraft";
import { DeskClock } from "./deskClock";
import { DraftSaver, type SaveState } from "./draftSaver";
import type { Lease } from "./labelSession";
import { buildPathSubmission, EMPTY_PATH, type PathContent, readSavedPath, type SavedPath } from "./pathDraft";
import { type Choice, chooseDraft } from "./submission";

export interface PathState {
  /** The path as the server has it; null until its first answer. */
  path: Path | null;
  draft: StepDraft;
  content: PathContent;
  save: SaveState;
  saveDetail: string;
  lease: Lease;
  leaseDetail: string;
  conflict: { local: SavedPath; server: SavedPath } | null;
  /** The last request did not reach the server. */
  unreachable: boolean;
  /** What the server refused, or what is missing: something for the labeler to act on. */
  message: string;
  /** Why the server refused the step that the labeler wrote. Shown next to the text until the text changes. */
  refusal: string;
  /** What just happened, for the bottom line. */
  news: string;
}

export abstract class KeptPath extends Store<PathState> {
  protected state: PathState;
  protected readonly clock: DeskClock;
  protected readonly saver: DraftSaver;
  private readonly startedAt: number;
  private revision: number;
  private updatedAt: number;
  private dirty: boolean;

  /** Another tab or device may have moved the path. */
  protected abstract readonly lookNow: () => void;

  constructor(
    readonly label: Label,
    readonly userId: number,
    private readonly journal: Journal,
    choice: Choice<SavedPath>,
  ) {
    super();
    const saved = choice.kind === "use" ? choice.saved : choice.local;
    const content = saved?.content ?? EMPTY_PATH;
    this.startedAt = saved?.startedAt ?? Date.now();
    this.updatedAt = saved?.updatedAt ?? 0;
    this.revision = label.draft_revision;
    this.dirty = choice.kind === "ask" || choice.dirty;
    this.state = {
      path: null,
      draft: newStepDraft(content.step),
      content,
      save: "saved",
      saveDetail: "",
      lease: label.surplus ? "surplus" : "held",
      leaseDetail: "",
      conflict: choice.kind === "ask" ? { local: choice.local, server: choice.server } : null,
      unreachable: false,
      message: "",
      refusal: "",
      news: "",
    };
    this.clock = new DeskClock(label.id, saved?.spans ?? [], label.steps.length, {
      left: () => this.leave(),
      lost: () => this.resume(),
      submittedElsewhere: () => this.update({ lease: "gone", leaseDetail: "This path was submitted elsewhere." }),
      leased: true,
    });
    this.saver = new DraftSaver(label.id, label.draft_revision, {
      current: () => this.saved(Date.now()),
      changed: (save, saveDetail) => this.update({ save, saveDetail }),
      saved: (revision, updatedAt) => this.draftSaved(revision, updatedAt),
      conflict: (server, revision) => this.meetConflict(server, revision),
    });
    if (this.dirty && !this.state.conflict) this.saver.schedule();
  }

  /** Return whether there is work in it that must not be taken away from the labeler. */
  hasWork(): boolean {
    return this.updatedAt > 0 || this.state.path?.can_undo === true;
  }

  activeTime(now: number) {
    return activeTime(this.clock.spans(now), (this.state.path?.steps.length ?? 0) + 1);
  }

  /** Record that the labeler looks at the problem, or at the row in hand. */
  lookAt(what: "problem" | "row"): void {
    const { path, draft } = this.state;
    const steps = path?.steps.length ?? 0;
    const row = rowInHand(draft, steps, path?.open?.completions ?? []);
    this.clock.lookAt(what === "problem" ? null : Math.min(steps, steps + Math.min(0, row)));
  }

  /** Record a change by the labeler: journal it before anything is painted, and save it to the server soon. */
  protected changed(change: Partial<PathContent>, quietly = false): void {
    this.state = { ...this.state, content: { ...this.state.content, ...change } };
    if (!quietly) {
      this.updatedAt = Date.now();
      this.dirty = true;
      this.saver.schedule();
    }
    this.writeJournal();
    this.update({});
  }

  saved(now: number): SavedPath {
    return {
      version: 1,
      protocol: "choose_step",
      content: this.state.content,
      spans: this.clock.spans(now),
      startedAt: this.startedAt,
      updatedAt: this.updatedAt,
      writer: writerId(),
    };
  }

  /** Return the submission of the path: at its answer, given up, or with a bad problem. */
  submission(key: string, build: string, now: number): Submission {
    if (!this.state.path) throw new Error("A path that was never shown cannot be submitted.");
    return buildPathSubmission(this.saved(now), this.state.path, key, build, now);
  }

  private writeJournal(): void {
    void this.journal.putDraft({
      userId: this.userId,
      labelId: this.label.id,
      saved: this.saved(Date.now()),
      updatedAt: this.updatedAt,
      baseRevision: this.revision,
      dirty: this.dirty,
    });
  }

  private draftSaved(revision: number, updatedAt: number): void {
    this.revision = revision;
    this.dirty = this.updatedAt > updatedAt;
    this.writeJournal();
  }

  private leave(): void {
    if (this.hasWork()) this.writeJournal();
    void this.saver.flush(true);
  }

  /** Ask for the slot again after the lease expired. The work is kept whatever the answer. */
  async resume(): Promise<void> {
    this.update({ lease: "lost", leaseDetail: "" });
    try {
      const label = await api.post<Label>(`/api/labels/${this.label.id}/resume`);
      this.update({ lease: label.surplus ? "surplus" : "held" });
      this.lookNow();
    } catch (error) {
      const refused = error instanceof ApiError && error.status < 500;
      this.update(refused ? { lease: "gone", leaseDetail: error.message } : { lease: "lost" });
    }
  }

  private meetConflict(server: unknown, revision: number): number | null {
    const mine = this.saved(Date.now());
    this.revision = revision;
    const choice = chooseDraft(
      { saved: mine, baseRevision: -1, dirty: true },
      { saved: readSavedPath(server), revision },
    );
    if (choice.kind === "ask") {
      this.update({ conflict: { local: choice.local, server: choice.server }, save: "waiting" });
      return null;
    }
    const { saved } = choice;
    const ownNewer = saved !== null && saved !== mine && saved.content.prefixHash === mine.content.prefixHash;
    if (ownNewer) this.goOnWith(saved, mine);
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
    this.saver.writeOver(this.revision);
  }

  /** Discard the other copy, except for undo. */
  private goOnWith({ content }: SavedPath, other: SavedPath): void {
    const { draft } = this.state;
    const past = [...draft.past, { content: other.content.step, row: draft.row }];
    this.state = { ...this.state, conflict: null, draft: { ...newStepDraft(content.step, draft.row), past } };
    this.changed({ ...content, prefixHash: this.state.content.prefixHash, sending: null });
    this.lookNow();
  }
}
