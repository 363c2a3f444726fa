/** What the page shows after each answer of the server. Pure. */
import type { Claim, EmptyQueue, Label } from "@/api/types";

export interface Queue {
  label: Label | null;
  next: Label | null;
  empty: EmptyQueue | null;
  /** The label shown is no longer held at the server, but has work in it: ask for its place again. */
  resume: boolean;
}

/**
 * Bring what is shown and what the server says together. A label waiting in the outbox is done as far as this page is
 * concerned; a label with work in it is never taken from under the labeler's hands.
 */
export function reconcile(
  shown: Label | null,
  fresh: Claim,
  queued: ReadonlySet<number>,
  shownHasWork: boolean,
): Queue {
  const offered = [fresh.label, fresh.next].filter((label) => label !== null).filter((label) => !queued.has(label.id));
  const kept = shown && !queued.has(shown.id) ? shown : null;
  const same = kept && offered.find((label) => label.id === kept.id);
  if (kept && (same || shownHasWork)) {
    const next = offered.find((label) => label.id !== kept.id) ?? null;
    return { label: same ? { ...kept, ...same } : kept, next, empty: null, resume: !same };
  }
  const [label = null, next = null] = offered;
  return { label, next, empty: label ? null : fresh.empty, resume: false };
}

/** The moment of submission: the label leased ahead is shown at once. */
export function advance(queue: Pick<Queue, "next">): Queue {
  return { label: queue.next, next: null, empty: null, resume: false };
}

/** Undo across submission: the submitted label comes back and the one on screen waits. */
export function takeBack(queue: Pick<Queue, "label">, submitted: Label): Queue {
  return { label: { ...submitted, status: "open" }, next: queue.label, empty: null, resume: false };
}
