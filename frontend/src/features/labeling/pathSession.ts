/**
 * One path in this tab, and everything asked of the server for it, in one loop with one request at a time. It sends a
 * step until it is answered, asks for the remaining completions, and polls for those being written.
 */
import { ApiError, api, isRetryable } from "@/api/client";
import { type Journal, newId } from "@/api/journal";
import type { Path, StepToSubmit } from "@/api/pathTypes";
import type { Label } from "@/api/types";
import { type Lack, stepToSend, wantsRest } from "@/protocol/choose_step/path";
import { type StepAction, stepReducer } from "@/protocol/choose_step/stepDraft";
import { explainLack } from "@/protocol/choose_step/words";
import { KeptPath } from "./keptPath";
import { draftAfter, type Mover, type PathNote, readSavedPath } from "./pathDraft";
import { chooseDraft } from "./submission";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

export class PathSession extends KeptPath {
  private running = false;
  private asking = false;
  private due = true;
  private held = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause = FIRST_PAUSE_MS;

  /** Open a path with the best copy of its draft, and ask the server for its current state. */
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

  /**
   * Return whether nothing was done in this path since it was opened here. Undo then applies to the label before it.
   */
  readonly isUntouched = (): boolean => {
    const { draft, path, content } = this.state;
    return draft.past.length === 0 && content.sending === null && !path?.can_undo;
  };

  /** Does nothing: only whole traces have ratings carried over. */
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

  /** After submission or release, stop saving drafts. */
  close(): void {
    this.stop();
    this.saver.stop();
  }

  readonly dispatch = (action: StepAction): void => {
    const { path, content, draft: before } = this.state;
    if (content.sending !== null && action.type !== "focus") return;
    const draft = stepReducer(before, clamped(action, path));
    if (draft === before) return;
    const same = draft.content === before.content;
    this.update({ draft, message: "", ...(same ? {} : { refusal: "", news: "" }) });
    this.lookAt("row");
    if (!same) this.changed({ step: draft.content });
    if (path?.open && wantsRest(path.open, draft.content)) void this.work();
  };

  /** Change what concerns the label as a whole: comments, reports, how it ends, the desk. */
  readonly note = (change: PathNote): void => {
    this.changed(change);
  };

  /** Show a message for the labeler to act on. */
  readonly say = (message: string): void => this.update({ message });

  /** Show what just happened. */
  readonly announce = (news: string): void => this.update({ news, message: "" });

  readonly showRest = (): void => {
    this.changed({ restWanted: true });
    void this.work();
  };

  /**
   * Ask for as many completions again. A repeated request counts once, because the body says how often it was asked.
   */
  readonly askMore = async (): Promise<void> => {
    const { path } = this.state;
    if (!path?.open || this.asking) return;
    this.update({ message: "" });
    try {
      const body = { prefix_hash: path.prefix_hash, rating: null, more: path.open.more + 1 };
      this.adopt(await api.post<Path>(this.at("/rest"), body), "other");
    } catch (error) {
      this.failed(error, "The request for more completions failed.");
    }
    this.schedule();
  };

  /** While the labeler is writing, do not insert anything above their text. */
  readonly hold = (held: boolean): void => {
    this.held = held;
    if (!held && this.running) this.lookNow();
  };

  /** Send the step to the server as it is now. */
  readonly submitStep = (): void => {
    const { path, draft } = this.state;
    if (!path?.open || this.state.content.sending) return;
    const sending = { prefix_hash: path.prefix_hash, key: newId(), ...stepToSend(path.open, draft.content) };
    this.changed({ sending });
    this.update({ message: "", refusal: "", news: "" });
    void this.work();
  };

  /** Take back the last submitted step. A step not answered yet is kept here, unsent. */
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

  protected readonly lookNow = () => {
    this.due = true;
    this.pause = FIRST_PAUSE_MS;
    void this.work();
  };

  /** Return the next request to the server, if any. */
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

  /**
   * Schedule the next request: at once if one is wanted, later if the server was unreachable, or when the server said.
   */
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
    if (!wanted) await this.takeBack(); // it was taken back while on its way
  }

  /** Adopt the path as the server has it. */
  private adopt(path: Path, mover: Mover): void {
    const { draft: before, content } = this.state;
    const moved = content.prefixHash !== path.prefix_hash;
    const known = content.prefixHash !== "";
    const first = this.state.path === null;
    const draft = draftAfter(before, { moved, first, mover: known ? mover : "other", at: content.at }, path);
    this.state = { ...this.state, path, draft, refusal: moved ? "" : this.state.refusal };
    if (moved) {
      if (known && mover === "other")
        this.update({ news: "The path was changed elsewhere; this is its current state." });
      const at = path.steps.length;
      this.changed({ prefixHash: path.prefix_hash, at, step: draft.content, restWanted: false }, !known);
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
      if (same) this.update({ message: "More completions have arrived: rate them too." });
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
    const written = this.state.content.sending?.human != null;
    this.changed({ sending: null, restWanted: false });
    this.update(written ? { refusal: words } : { message: words });
  }
}

/** Keep the focus on existing rows. A row beyond them waits for completions still to come. */
function clamped(action: StepAction, path: Path | null): StepAction {
  if (action.type !== "focus") return action;
  const last = Math.max(0, (path?.open?.completions.length ?? 0) - 1);
  return { ...action, row: Math.max(-(path?.steps.length ?? 0), Math.min(last, action.row)) };
}
