/** The clock of one label on the desk, and its lease's heartbeat. Both depend on what the labeler does. */
import { ApiError, api } from "@/api/client";
import type { LeaseState, Span } from "@/api/types";
import { type Attention, isActive, movedTo, noAttention, paused, sawInput, spansAt } from "./attention";

const HEARTBEAT_MS = 60_000;

interface ClockHooks {
  /** The page was hidden, closed, or given to another tab. */
  left: () => void;
  /** The lease has expired, or the label was released. */
  lost: () => Promise<void>;
  submittedElsewhere: () => void;
  /** False for a submitted label being revised: it has no lease. */
  leased: boolean;
}

export class DeskClock {
  private attention: Attention;
  private running = false;
  private beat: ReturnType<typeof setInterval> | undefined;
  private lastBeat = Date.now();

  constructor(
    private readonly labelId: number,
    spans: readonly Span[],
    step: number | null,
    private readonly hooks: ClockHooks,
  ) {
    this.attention = { ...noAttention(spans), step };
  }

  spans(now: number): readonly Span[] {
    return spansAt(this.attention, now);
  }

  /** Add spans of the same label from another device. */
  add(spans: readonly Span[]): void {
    this.attention = { ...this.attention, spans: [...this.attention.spans, ...spans] };
  }

  /** Record which step is looked at, or null for the problem. */
  lookAt(step: number | null): void {
    this.attention = movedTo(this.attention, step, Date.now());
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    for (const name of INPUTS) window.addEventListener(name, this.input, { capture: true, passive: true });
    document.addEventListener("visibilitychange", this.visibilityChanged);
    window.addEventListener("pagehide", this.leave);
    this.beat = setInterval(() => isActive(this.attention, Date.now()) && void this.heartbeat(), HEARTBEAT_MS);
    this.input();
  }

  stop(): void {
    if (!this.running) return;
    this.leave();
    this.running = false;
    for (const name of INPUTS) window.removeEventListener(name, this.input, true);
    document.removeEventListener("visibilitychange", this.visibilityChanged);
    window.removeEventListener("pagehide", this.leave);
    clearInterval(this.beat);
  }

  /** Record a key press or pointer move. */
  private readonly input = (): void => {
    if (!this.running || document.visibilityState === "hidden") return;
    const now = Date.now();
    this.attention = sawInput(this.attention, now);
    if (now - this.lastBeat > HEARTBEAT_MS) void this.heartbeat();
  };

  private readonly visibilityChanged = () => {
    if (document.visibilityState === "hidden") this.leave();
    else this.input();
  };

  private readonly leave = () => {
    this.attention = paused(this.attention, Date.now());
    this.hooks.left();
  };

  private async heartbeat(): Promise<void> {
    if (!this.hooks.leased) return;
    this.lastBeat = Date.now();
    try {
      const { status } = await api.post<LeaseState>(`/api/labels/${this.labelId}/heartbeat`);
      if (status === "expired" || status === "released") await this.hooks.lost();
      else if (status === "submitted") this.hooks.submittedElsewhere();
    } catch (error) {
      if (error instanceof ApiError && error.code === "label_not_open") await this.hooks.lost();
    }
  }
}

const INPUTS = ["keydown", "pointerdown", "pointermove", "wheel"] as const;
