/**
 * Submissions waiting to be sent. Each is in the journal before the page moves on, carries its idempotency key, and is
 * sent by one tab at a time until the server answers: at once, when the network comes back, when the page is opened
 * again, and in between with growing pauses.
 */

import { ApiError, api, isRetryable, LET_IN, pageOwner } from "./client";
import type { Journal, QueuedSubmission } from "./journal";
import { oneTabAtATime } from "./tabLock";
import type { LabelSummary, SubmittedLabel } from "./types";
import { Store } from "./watched";

export type Sent = { item: QueuedSubmission; label: LabelSummary; surplus: boolean; round_closed: boolean };

export interface OutboxState {
  items: readonly QueuedSubmission[];
  sending: boolean;
  /** The last attempt did not reach the server. */
  unreachable: boolean;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Headers for monitoring the server (W3C Trace Context): the id of a submission's trace is its key, and the trace
 * starts when the labeler presses to submit.
 */
export function traceHeaders(key: string, sincePress: number): Record<string, string> {
  const id = key.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/.test(id)) return {};
  const press = `00-${id}-${id.slice(16)}-01`;
  return { traceparent: press, "X-Stepmark-Pressed": String(Math.max(0, Math.round(sincePress))) };
}

/**
 * Should the submission wait for another try? Those that need their own person's login or a fresh CSRF token wait like
 * those without network.
 */
function mayTryAgain(error: unknown): boolean {
  if (isRetryable(error)) return true;
  return error instanceof ApiError && (error.status === 401 || error.code === "csrf_failed");
}

export class Outbox extends Store<OutboxState> {
  protected state: OutboxState = { items: [], sending: false, unreachable: false };
  private readonly sentListeners = new Set<(sent: Sent) => void>();
  private readonly channel: BroadcastChannel | null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause = FIRST_PAUSE_MS;
  /** Counts additions and removals in this tab. If it changed during a read of the journal, that read is outdated. */
  private changes = 0;

  constructor(
    readonly userId: number,
    private readonly journal: Journal,
  ) {
    super();
    this.channel = typeof BroadcastChannel === "function" ? new BroadcastChannel(`stepmark-outbox-${userId}`) : null;
    this.channel?.addEventListener("message", () => void this.reload());
    window.addEventListener("online", this.retryNow);
    window.addEventListener(LET_IN, () => pageOwner() === userId && this.retryNow());
    document.addEventListener("visibilitychange", this.retryNow);
    void this.reload().then(() => this.flush());
  }

  private readonly retryNow = () => {
    if (document.visibilityState === "hidden") return;
    this.pause = FIRST_PAUSE_MS;
    void this.flush();
  };

  onSent(listener: (sent: Sent) => void): () => void {
    this.sentListeners.add(listener);
    return () => this.sentListeners.delete(listener);
  }

  private async reload(): Promise<void> {
    const before = this.changes;
    const items = await this.journal.listQueued(this.userId);
    // A submission added meanwhile is not in what was read. Without it in the list, nobody would send it.
    if (before !== this.changes) return this.reload();
    this.update({ items });
  }

  private async changed(): Promise<void> {
    await this.reload();
    this.channel?.postMessage("changed");
  }

  /** Add a submission; the journal write starts before this returns. */
  enqueue(item: QueuedSubmission): void {
    const kept = this.journal.putQueued(item);
    this.changes += 1;
    this.update({ items: [...this.state.items, item] });
    void kept.then(() => {
      this.channel?.postMessage("changed");
      return this.flush();
    });
  }

  /** Ids of the labels whose submission has not been answered yet. */
  queuedLabels(): ReadonlySet<number> {
    return new Set(this.state.items.filter((item) => item.action === "submit").map((item) => item.labelId));
  }

  /**
   * Withdraw a submission if it has not been sent.
   *
   * @returns whether it was still here; false means the server has it.
   */
  async withdraw(key: string): Promise<boolean> {
    return oneTabAtATime(this.lockName, async () => {
      const waiting = (await this.journal.listQueued(this.userId)).some((item) => item.key === key);
      if (waiting) await this.journal.deleteQueued(key);
      this.changes += 1;
      await this.changed();
      return waiting;
    });
  }

  private get lockName(): string {
    return `stepmark-outbox-${this.userId}`;
  }

  /** Send waiting submissions, oldest first. Resolves when nothing is left to send or the network is gone. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    if (this.state.items.every((item) => item.refusal)) return;
    // A failing journal is retried like a failing network: a submission keeps its key and is accepted only once.
    await oneTabAtATime(this.lockName, () => this.sendAll()).catch((fault) => reportError(fault));
    if (this.state.items.some((item) => !item.refusal)) {
      this.timer = setTimeout(() => void this.flush(), this.pause * (0.8 + 0.4 * Math.random()));
      this.pause = Math.min(LONGEST_PAUSE_MS, this.pause * 2);
    } else this.pause = FIRST_PAUSE_MS;
  }

  private async sendAll(): Promise<void> {
    this.update({ sending: true });
    try {
      // Read the journal, not this tab's memory: another tab may have sent some meanwhile.
      for (const item of await this.journal.listQueued(this.userId)) {
        if (item.refusal) continue;
        if (!(await this.send(item))) break;
      }
      await this.changed();
    } finally {
      this.update({ sending: false });
    }
  }

  private async send(item: QueuedSubmission): Promise<boolean> {
    let answer: SubmittedLabel | LabelSummary;
    try {
      answer = await api.post<SubmittedLabel | LabelSummary>(
        `/api/labels/${item.labelId}/${item.action}`,
        item.submission,
        { headers: traceHeaders(item.key, Date.now() - item.queuedAt), person: this.userId },
      );
    } catch (error) {
      return this.notSent(item, error);
    }
    // Accepted. Any failure from here on is this page's fault and not a refusal.
    await this.journal.deleteQueued(item.key);
    this.changes += 1;
    this.update({ items: this.state.items.filter((one) => one.key !== item.key), unreachable: false });
    const sent = "label" in answer ? answer : { label: answer, surplus: answer.surplus, round_closed: false };
    for (const listener of this.sentListeners) {
      try {
        listener({ item, ...sent });
      } catch (fault) {
        reportError(fault);
      }
    }
    return true;
  }

  /**
   * Keep a submission that was not accepted, for another try or for the labeler to look at. True: continue with the
   * next.
   */
  private async notSent(item: QueuedSubmission, error: unknown): Promise<boolean> {
    const again = mayTryAgain(error);
    const refusal =
      error instanceof ApiError && !again
        ? { code: error.code, detail: error.message }
        : again
          ? null
          : { code: "unknown", detail: String(error) };
    await this.journal.putQueued({ ...item, attempts: item.attempts + 1, refusal });
    this.update({ unreachable: again });
    return !again;
  }
}

const outboxes = new Map<number, Outbox>();

/** The one outbox of a person in this tab. */
export function outboxOf(userId: number, journal: Journal): Outbox {
  const known = outboxes.get(userId) ?? new Outbox(userId, journal);
  outboxes.set(userId, known);
  return known;
}
