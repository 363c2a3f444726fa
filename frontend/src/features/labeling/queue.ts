/** What the page shows after each answer of the server. Pure. */
import type { Claim, EmptyQueue, Label } from "@/api/types";

export interface Queue {
  label: Label | null;
  next: Label | null;
  /** The labels leased ahead behind the next, in order; what is in them comes one by one (`Stock`). */
  further: readonly number[];
  empty: EmptyQueue | null;
  /** The label shown is no longer held at the server, but has work in it: ask for its place again. */
  resume: boolean;
}

/** The labels that are on this device already, for when the network goes. */
export type Stock = ReadonlyMap<number, Label>;

export const EMPTY_QUEUE: Queue = { label: null, next: null, further: [], empty: null, resume: false };

/**
 * Bring what is shown and what the server says together. A label waiting in the outbox is done as far as this page is
 * concerned; a label with work in it is never taken from under the labeler's hands.
 */
export function reconcile(
  shown: Label | null,
  fresh: Claim,
  queued: ReadonlySet<number>,
  shownHasWork: boolean,
  stock: Stock,
): Queue {
  const sent = [fresh.label, fresh.next].filter((label) => label !== null);
  const found = (id: number) => sent.find((label) => label.id === id) ?? stock.get(id) ?? null;
  const offered = [...sent.map((label) => label.id), ...fresh.further].filter((id) => !queued.has(id));
  const kept = shown && !queued.has(shown.id) ? shown : null;
  const same = kept && offered.includes(kept.id);
  if (kept && (same || shownHasWork)) {
    const others = offered.filter((id) => id !== kept.id);
    const again = sent.find((label) => label.id === kept.id);
    return withNext({ ...EMPTY_QUEUE, label: { ...kept, ...again }, further: others, resume: !same }, found);
  }
  const [first, ...others] = offered;
  const label = first === undefined ? null : found(first);
  if (!label) return { ...EMPTY_QUEUE, further: offered, empty: offered.length > 0 ? null : fresh.empty };
  return withNext({ ...EMPTY_QUEUE, label, further: others }, found);
}

/** The first label ahead is the next, once what is in it is here. */
function withNext(queue: Queue, found: (id: number) => Label | null): Queue {
  const [first, ...further] = queue.further;
  const next = queue.next === null && first !== undefined ? found(first) : null;
  return next ? { ...queue, next, further } : queue;
}

/** What came meanwhile is shown, or is the next, where nothing is. */
export function stocked(queue: Queue, stock: Stock): Queue {
  const full = withNext(queue, (id) => stock.get(id) ?? null);
  return full.label || !full.next ? full : stocked({ ...full, label: full.next, next: null, empty: null }, stock);
}

/** The moment of submission: the label leased ahead is shown at once. */
export function advance(queue: Queue, stock: Stock): Queue {
  return withNext({ ...EMPTY_QUEUE, label: queue.next, further: queue.further }, (id) => stock.get(id) ?? null);
}

/** A round was closed: what this page still has of it makes way, but for what was begun. */
export function withoutRound(queue: Queue, round: number, begun: (id: number) => boolean, stock: Stock): Queue {
  const goes = (label: Label | null | undefined) => label?.round.number === round && !begun(label.id);
  const next = goes(queue.next) ? null : queue.next;
  const left = { ...queue, next, further: queue.further.filter((id) => !goes(stock.get(id))) };
  return stocked(goes(left.label) ? advance(left, stock) : left, stock);
}

/** Undo across submission: the submitted label comes back and the one on screen waits. */
export function takeBack(queue: Queue, submitted: Label): Queue {
  const further = queue.next && queue.label ? [queue.next.id, ...queue.further] : queue.further;
  return { ...EMPTY_QUEUE, label: { ...submitted, status: "open" }, next: queue.label ?? queue.next, further };
}
