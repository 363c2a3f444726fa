import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Journal } from "@/api/journal";
import { holdLock, type LockState } from "@/api/tabLock";
import type { Label } from "@/api/types";
import { Watched } from "@/api/watched";
import { drawable } from "@/ui/math/drawable";
import { segment } from "@/ui/math/segments";
import { type DeskSession, openSession } from "./deskSession";

const OPEN_AGAIN_MS = 3_000;

export type TabLock = { state: "asking" | LockState; takeOver: () => void };

/** Hold the named lock while the page is shown. Another tab may take it over; it returns when that tab closes. */
export function useTabLock(name: string): TabLock {
  const [state, setState] = useState<TabLock["state"]>("asking");
  const [claim, setClaim] = useState({ turn: 0, steal: false });
  useEffect(() => {
    const ended = new AbortController();
    holdLock(name, claim.steal, ended.signal, setState);
    return () => ended.abort();
  }, [name, claim]);
  return { state, takeOver: () => setClaim((old) => ({ turn: old.turn + 1, steal: true })) };
}

/** Opened sessions by label. The next label is opened and its formulas typeset while the current one is labeled. */
export class SessionShelf extends Watched {
  private readonly sessions = new Map<number, DeskSession>();
  private readonly opening = new Map<number, Promise<void>>();

  constructor(
    private readonly userId: number,
    private readonly journal: Journal,
  ) {
    super();
  }

  get(labelId: number): DeskSession | undefined {
    return this.sessions.get(labelId);
  }

  hasWork(labelId: number | undefined): boolean {
    return labelId !== undefined && (this.sessions.get(labelId)?.hasWork() ?? false);
  }

  put(session: DeskSession): void {
    this.sessions.set(session.label.id, session);
    this.tell();
  }

  remove(labelId: number): void {
    this.sessions.delete(labelId);
  }

  open(label: Label, revising = false): void {
    if (this.sessions.has(label.id) || this.opening.has(label.id)) return;
    const opening = openSession(label, this.userId, this.journal, revising).then(
      (session) => {
        this.opening.delete(label.id);
        this.put(session);
      },
      () => {
        // Only the code that shows the label is missing: keep asking for it until the network is back.
        this.opening.delete(label.id);
        setTimeout(() => this.open(label, revising), OPEN_AGAIN_MS);
      },
    );
    this.opening.set(label.id, opening);
  }
}

export function useSession(shelf: SessionShelf, label: Label | null): DeskSession | null {
  return useSyncExternalStore(shelf.subscribe, () => (label && shelf.get(label.id)) || null);
}

export function useShelf(userId: number, journal: Journal): SessionShelf {
  const shelf = useRef<SessionShelf>(null);
  shelf.current ??= new SessionShelf(userId, journal);
  return shelf.current;
}

/** Typeset the formulas of a label not shown yet, a few at a time, while the page is idle. */
export function warmFormulas(label: Label): () => void {
  const texts = [label.problem.text, ...label.steps];
  let cancelled = false;
  const idle: (work: () => void) => void =
    typeof requestIdleCallback === "function" ? (work) => requestIdleCallback(work) : (work) => setTimeout(work, 200);
  const warm = () => {
    const text = cancelled ? undefined : texts.shift();
    if (text === undefined) return;
    drawable(segment(text));
    idle(warm);
  };
  idle(warm);
  return () => {
    cancelled = true;
  };
}
