/** Keeps the server's copy of one draft at most 2 s behind the labeler's, and reports how far it has got. */
import { ApiError, api, isRetryable, pageOwner } from "@/api/client";
import type { SavedDraftRevision } from "@/api/types";

/** The part of a draft that saving depends on. */
interface Dated {
  updatedAt: number;
}

export type SaveState = "saved" | "saving" | "waiting" | "offline" | "refused";

interface SaverHooks {
  /** Return the draft as it is now. */
  current: () => Dated;
  changed: (state: SaveState, detail: string) => void;
  /** The server accepted the copy written at `updatedAt`. */
  saved: (revision: number, updatedAt: number) => void;
  /** Another tab or device saved in between. Return the revision to overwrite, or null to stop and ask. */
  conflict: (server: unknown, revision: number) => number | null;
}

/**
 * A quick labeler's changes within it go out in one request; half a second of the promised two remains for transfer.
 */
const SAVE_AFTER_MS = 1_500;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** Browsers limit the bodies of requests that outlive their page. */
const KEEPALIVE_LIMIT = 60_000;

export class DraftSaver {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private firstChange: number | null = null;
  private running: Promise<void> | null = null;
  private stopped = false;
  private pause = FIRST_PAUSE_MS;
  /** Whose draft it is: a save may still be waiting when the next person logs in on this page. */
  private readonly person = pageOwner();

  constructor(
    private readonly labelId: number,
    private revision: number,
    private readonly hooks: SaverHooks,
  ) {
    window.addEventListener("online", this.retry);
  }

  private readonly retry = () => {
    this.pause = FIRST_PAUSE_MS;
    if (this.firstChange !== null) void this.flush();
  };

  /** Something changed: save 1.5 s after the first change. */
  schedule(): void {
    if (this.stopped) return;
    const now = Date.now();
    this.firstChange ??= now;
    clearTimeout(this.timer);
    const wait = Math.max(0, this.firstChange + SAVE_AFTER_MS - now);
    this.timer = setTimeout(() => void this.flush(), wait);
    this.hooks.changed("waiting", "");
  }

  /** Save now. Saves of one draft never overlap. */
  async flush(keepalive = false): Promise<void> {
    clearTimeout(this.timer);
    if (this.stopped || this.firstChange === null) return;
    if (this.running) {
      await this.running;
      return this.flush(keepalive);
    }
    this.firstChange = null;
    this.running = this.save(keepalive);
    await this.running;
    this.running = null;
  }

  /** The labeler has chosen: overwrite this revision from now on. */
  writeOver(revision: number): void {
    this.stopped = false;
    this.revision = revision;
    this.schedule();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    window.removeEventListener("online", this.retry);
  }

  private async save(keepalive: boolean): Promise<void> {
    const draft = this.hooks.current();
    const body = { draft, base_revision: this.revision };
    this.hooks.changed("saving", "");
    try {
      const small = JSON.stringify(body).length < KEEPALIVE_LIMIT;
      const answer = await api.put<SavedDraftRevision>(`/api/labels/${this.labelId}/draft`, body, {
        keepalive: keepalive && small,
        person: this.person,
      });
      this.revision = answer.draft_revision;
      this.pause = FIRST_PAUSE_MS;
      this.hooks.saved(this.revision, draft.updatedAt);
      if (this.firstChange === null) this.hooks.changed("saved", "");
    } catch (error) {
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    this.firstChange ??= Date.now();
    if (!(error instanceof ApiError) || isRetryable(error) || error.status === 401) {
      this.later(error instanceof Error ? error.message : "");
    } else if (error.code === "draft_conflict") {
      const revision = this.hooks.conflict(error.body.draft, Number(error.body.draft_revision));
      if (revision === null) this.stopped = true;
      else this.writeOver(revision);
    } else {
      this.stopped = true;
      this.hooks.changed("refused", error.message);
    }
  }

  /** Retry later, with growing pauses, and at once when the network is back. Nothing typed is lost. */
  private later(detail: string): void {
    this.hooks.changed("offline", detail);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), this.pause);
    this.pause = Math.min(LONGEST_PAUSE_MS, this.pause * 2);
  }
}
