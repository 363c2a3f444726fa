/**
 * One path in this tab: what the server has of it, the draft of the step that is open, its journal, its copy on the
 * server, the clock and the lease. React only looks at it (`subscribe`, `getState`). Everything that is asked of the server
 * goes through one loop, one request at a time: a step on its way is sent until it is answered, the others are asked for,
 * and what is being written is looked for.
 */
import { ApiError, api, isRetryable } from "@/api/client";
import { type Journal, newId, writerId } from "@/api/journal";
import type { Path, StepToSubmit } from "@/api/pathTypes";
import type { Label, Submission } from "@/api/types";
import { activeTime } from "@/protocol/activeTime";
import { type Lack, stepToSend, wantsRest } from "@/protocol/choose_step/path";
import {
  newStepDraft,
  rowInHand,
  type StepAction,
  type StepDraft,
  stepReducer,
} from "@/protocol/choose_step/stepDraft";
import { explainLack } from "@/protocol/choose_step/words";
import { DeskClock } from "./deskClock";
import { DraftSaver, type SaveState } from "./draftSaver";
import type { Lease } from "./labelSession";
import {
  buildPathSubmission,
  draftAfter,
  EMPTY_PATH,
  type Mover,
  type PathContent,
  readSavedPath,
  type SavedPath,
} from "./pathDraft";
import { type Choice, chooseDraft } from "./submission";

export interface PathState {
  /** As the server has it; null until it has answered once. */
  path: Path | null;
  draft: StepDraft;
  content: PathContent;
  save: SaveState;
  saveDetail: string;
  lease: Lease;
  leaseDetail: string;
  conflict: { local: SavedPath; server: SavedPath } | null;
  /** The server was not reached when it was asked last. */
  unreachable: boolean;
  /** What the server refused, or what is missing: for the labeler to act on. */
  message: string;
  /** What just happened, for the bottom line. */
  news: string;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

export class PathSession {
  private state: PathState;
  private readonly clock: DeskClock;
  private readonly saver: DraftSaver;
  private readonly listeners = new Set<() => void>();
  private readonly startedAt: number;
  private revision: number;
  private updatedAt: number;
  private dirty: boolean;
  private running = false;
  private asking = false;
  private due = true;
  private held = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause = FIRST_PAUSE_MS;

  constructor(
    readonly label: Label,
    readonly userId: number,
    private readonly journal: Journal,
    choice: Choice<SavedPath>,
  ) {
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

  /** Open a path with the best copy of its draft, and look at where it stands. */
  static async open(label: Label, userId: number, journal: Journal): Promise<PathSession> {
    const entry = await journal.getDraft(userId, label.id);
    const local = entry && readSavedPath(entry.saved);
    const choice = chooseDraft(
      entry && local ? { saved: local, baseRevision: entry.baseRevision, dirty: entry.dirty } : null,
      { saved: readSavedPath(label.draft), revision: label.draft_revision },
    );
    const session = new PathSession(label, userId, journal, choice);
    void session.work();
    return session;
  }

  readonly getState = () => this.state;

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private update(change: Partial<PathState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }

  /** Nothing was done in this path since it was opened here: undo is then for the label before. */
  readonly isUntouched = (): boolean => {
    const { draft, path, content } = this.state;
    return draft.past.length === 0 && content.sending === null && !path?.can_undo;
  };

  /** Is there any work in it that must not be taken from under the labeler's hands? */
  hasWork(): boolean {
    return this.updatedAt > 0 || this.state.path?.can_undo === true;
  }

  /** Ratings carried over are those of a whole trace; a path has none. */
  carry(): void {}

  start(): void {
    if (this.running) return;
    this.running = true;
    this.clock.start();
    window.addEventListener("online", this.lookNow);
    this.lookNow();
  }

  stop(): void {
    if (!this.running) return;
    this.clock.stop();
    this.running = false;
    window.removeEventListener("online", this.lookNow);
    clearTimeout(this.timer);
  }

  /** Submitted or given back: nothing more is saved as a draft. */
  close(): void {
    this.stop();
    this.saver.stop();
  }

  activeTime(now: number) {
    return activeTime(this.clock.spans(now), (this.state.path?.steps.length ?? 0) + 1);
  }

  /** The problem (null), or the row in hand. */
  lookAt(what: "problem" | "row"): void {
    const { path, draft } = this.state;
    const steps = path?.steps.length ?? 0;
    const row = rowInHand(draft, steps, path?.open?.completions ?? []);
    this.clock.lookAt(what === "problem" ? null : Math.min(steps, steps + Math.min(0, row)));
  }

  readonly dispatch = (action: StepAction): void => {
    const { path, content, draft: before } = this.state;
    if (content.sending !== null && action.type !== "focus") return;
    const draft = stepReducer(before, clamped(action, path));
    if (draft === before) return;
    this.update({ draft, message: "" });
    this.lookAt("row");
    if (draft.content !== before.content) this.changed({ step: draft.content });
    if (path?.open && wantsRest(path.open, draft.content)) void this.work();
  };

  /** Comments, reports, how it ends: what is about the label as a whole. */
  readonly note = (change: Partial<Pick<PathContent, "comments" | "reports" | "ending">>): void => {
    this.changed(change);
  };

  readonly say = (message: string): void => this.update({ message });

  readonly showRest = (): void => {
    this.changed({ restWanted: true });
    void this.work();
  };

  /** As many completions again. Asked for once more, it counts once: the number says how often. */
  readonly askMore = async (): Promise<void> => {
    const { path } = this.state;
    if (!path?.open || this.asking) return;
    this.update({ message: "" });
    try {
      const body = { prefix_hash: path.prefix_hash, rating: null, more: path.open.more + 1 };
      this.adopt(await api.post<Path>(this.at("/rest"), body), "other");
    } catch (error) {
      this.failed(error, "More completions could not be asked for.");
    }
    this.schedule();
  };

  /** While the labeler writes, nothing is put above what they write. */
  readonly hold = (held: boolean): void => {
    this.held = held;
    if (!held) this.lookNow();
  };

  /** The step goes to the server as it stands now. */
  readonly submitStep = (): void => {
    const { path, draft } = this.state;
    if (!path?.open || this.state.content.sending) return;
    const sending = { prefix_hash: path.prefix_hash, key: newId(), ...stepToSend(path.open, draft.content) };
    this.changed({ sending });
    this.update({ message: "", news: "" });
    void this.work();
  };

  /** Take back the step that was submitted last; one that is not answered yet stays here. */
  readonly takeBack = async (): Promise<void> => {
    const { path, content } = this.state;
    if (content.sending) {
      this.changed({ sending: null });
      return this.update({ news: "The step was not sent." });
    }
    if (!path?.can_undo) return;
    try {
      const { prefix_hash } = path;
      this.adopt(await api.post<Path>(this.at("/undo"), { prefix_hash }), "undo");
      this.update({ news: `Step ${(this.state.path?.steps.length ?? 0) + 1} is open again.`, message: "" });
    } catch (error) {
      this.failed(error, "The step was not taken back.");
    }
    this.schedule();
  };

  private at(what = ""): string {
    return `/api/labels/${this.label.id}/path${what}`;
  }

  private readonly lookNow = () => {
    this.due = true;
    this.pause = FIRST_PAUSE_MS;
    void this.work();
  };

  /** What is to be asked of the server next, if anything. */
  private next(): (() => Promise<void>) | null {
    const { path, draft, content } = this.state;
    const { sending } = content;
    if (sending) return () => this.send(sending);
    if (path === null) return () => this.look();
    const { open } = path;
    if (open?.state === "first" && (content.restWanted || wantsRest(open, draft.content))) return () => this.askRest();
    return this.due && !this.held ? () => this.look() : null;
  }

  private async work(): Promise<void> {
    const ask = this.next();
    if (this.asking || !ask) return;
    this.asking = true;
    clearTimeout(this.timer);
    try {
      await ask();
      this.pause = FIRST_PAUSE_MS;
      if (this.state.unreachable) this.update({ unreachable: false });
    } catch (error) {
      this.failed(error, "");
    } finally {
      this.asking = false;
    }
    this.schedule();
  }

  /** The next request: at once where one is wanted, later where nobody answered, and when the server said to look again. */
  private schedule(): void {
    clearTimeout(this.timer);
    const again = this.state.path?.open?.look_again_ms ?? null;
    const wait = this.state.unreachable ? this.pause : this.next() ? 0 : again;
    if (!this.running || wait === null) return;
    this.timer = setTimeout(() => {
      this.due = true;
      void this.work();
    }, wait);
  }

  private async look(): Promise<void> {
    this.due = false;
    this.adopt(await api.get<Path>(this.at()), "other");
  }

  private async askRest(): Promise<void> {
    const { path, draft } = this.state;
    const first = path?.open?.completions[0];
    const said = first && draft.content.said[first.number];
    const rating = said?.rating === 1 ? null : (said?.rating ?? null);
    const body = { prefix_hash: path?.prefix_hash, rating, flagged: said?.flagged ?? false };
    this.adopt(await api.post<Path>(this.at("/rest"), body), "other");
  }

  private async send(step: StepToSubmit): Promise<void> {
    const path = await api.post<Path>(this.at("/steps"), step);
    const wanted = this.state.content.sending?.key === step.key;
    this.changed({ sending: null });
    this.adopt(path, "step");
    this.update({ news: `Step ${path.steps.length} submitted` });
    if (!wanted) await this.takeBack(); // it was taken back while it was on its way
  }

  /** The path as the server has it. */
  private adopt(path: Path, mover: Mover): void {
    const { draft: before, content } = this.state;
    const moved = content.prefixHash !== path.prefix_hash;
    const known = content.prefixHash !== "";
    const first = this.state.path === null;
    const draft = draftAfter(before, { moved, first, mover: known ? mover : "other" }, path);
    this.state = { ...this.state, path, draft };
    if (moved) {
      if (known && mover === "other") this.update({ news: "The path has moved on elsewhere: this is how it stands." });
      this.changed({ prefixHash: path.prefix_hash, step: draft.content, restWanted: false }, !known);
    }
    this.update({});
    this.lookAt("row");
  }

  private failed(error: unknown, what: string): void {
    if (error instanceof ApiError && error.code === "path_moved") {
      const path = error.body.path as Path;
      const same = path.prefix_hash === this.state.content.prefixHash;
      this.changed({ sending: null });
      this.adopt(path, "other");
      if (same) this.update({ message: "More completions have come meanwhile: rate them too." });
    } else if (error instanceof ApiError && error.code === "label_not_open") {
      this.changed({ sending: null });
      void this.resume();
    } else if (isRetryable(error) || (error instanceof ApiError && error.status === 401)) {
      this.update({ unreachable: true, message: what && `${what} ${(error as Error).message}` });
      this.pause = Math.min(LONGEST_PAUSE_MS, this.pause * 2);
    } else this.refused(error);
  }

  private refused(error: unknown): void {
    const [lack] = error instanceof ApiError ? ((error.body.missing as Lack[] | undefined) ?? []) : [];
    const words = lack ? explainLack(lack, this.state.path?.open ?? null) : String((error as Error).message ?? error);
    this.changed({ sending: null, restWanted: false });
    this.update({ message: words });
  }

  /** Something the labeler did: journaled before anything is painted, at the server soon. */
  private changed(change: Partial<PathContent>, quietly = false): void {
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

  /** The path as it is submitted: at its answer, given up, or a bad problem. */
  submission(key: string, build: string, now: number): Submission {
    if (!this.state.path) throw new Error("A path that was never shown is not submitted.");
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

  /** Ask for the place again after the lease ran out. The work is kept whatever the answer. */
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
    if (choice.kind === "use") return revision;
    this.update({ conflict: { local: choice.local, server: choice.server }, save: "waiting" });
    return null;
  }

  /** The labeler chose one of two copies. The other is gone from then on, except for undo. */
  settle(keep: "local" | "server"): void {
    const { conflict, draft } = this.state;
    if (!conflict) return;
    const [chosen, other] = keep === "server" ? [conflict.server, conflict.local] : [conflict.local, conflict.server];
    this.clock.add(conflict.server.spans);
    const past = [...draft.past, { content: other.content.step, row: draft.row }];
    this.state = { ...this.state, conflict: null, draft: { ...newStepDraft(chosen.content.step, draft.row), past } };
    this.changed({ ...chosen.content, prefixHash: this.state.content.prefixHash, sending: null });
    this.saver.writeOver(this.revision);
    this.lookNow();
  }
}

/** The focus stays on the rows there are; one beyond them waits for what is to come. */
function clamped(action: StepAction, path: Path | null): StepAction {
  if (action.type !== "focus") return action;
  const last = Math.max(0, (path?.open?.completions.length ?? 0) - 1);
  return { ...action, row: Math.max(-(path?.steps.length ?? 0), Math.min(last, action.row)) };
}
