/** What the page shows after each answer of the server. Pure. */
import type { Claim, EmptyQueue, Label } from "@/api/types";

export interface Queue {
  label: Label | null;
  next: Label | null;
  /** The labels leased ahead after the next one, in order. Their contents arrive one by one (`Stock`). */
  further: readonly number[];
  empty: EmptyQueue | null;
  /** The server no longer holds the label shown for this labeler, but there is work in it: ask for its slot again. */
  resume: boolean;
}

/** The labels already on this device, for when the network fails. */
export type Stock = ReadonlyMap<number, Label>;

/** For how long a submission can be taken back. A shared case file keeps this equal to the server's `UNDO`. */
export const UNDO_MS = 60_000;

export const EMPTY_QUEUE: Queue = { label: null, next: null, further: [], empty: null, resume: false };

/**
 * Combine what is shown with what the server says. A label waiting in the outbox is done as far as this page is
 * concerned. A label with work in it is never taken away from the labeler.
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

/** Make the first label ahead the next one, once its contents are here. */
function withNext(queue: Queue, found: (id: number) => Label | null): Queue {
  const [first, ...further] = queue.further;
  const next = queue.next === null && first !== undefined ? found(first) : null;
  return next ? { ...queue, next, further } : queue;
}

/** Show a label that has arrived, or make it the next one, if there is none. */
export function stocked(queue: Queue, stock: Stock): Queue {
  const full = withNext(queue, (id) => stock.get(id) ?? null);
  return full.label || !full.next ? full : stocked({ ...full, label: full.next, next: null, empty: null }, stock);
}

/** At submission, show the label leased ahead at once. */
export function advance(queue: Queue, stock: Stock): Queue {
  return withNext({ ...EMPTY_QUEUE, label: queue.next, further: queue.further }, (id) => stock.get(id) ?? null);
}

/** After a round was closed, drop this page's labels of it, except those with work in them. */
export function withoutRound(queue: Queue, round: number, begun: (id: number) => boolean, stock: Stock): Queue {
  const goes = (label: Label | null | undefined) => label?.round.number === round && !begun(label.id);
  const next = goes(queue.next) ? null : queue.next;
  const left = { ...queue, next, further: queue.further.filter((id) => !goes(stock.get(id))) };
  return stocked(goes(left.label) ? advance(left, stock) : left, stock);
}

/** Undo across submission: the submitted label comes back, and the one on screen waits. */
export function takeBack(queue: Queue, submitted: Label): Queue {
  const further = queue.next && queue.label ? [queue.next.id, ...queue.further] : queue.further;
  return { ...EMPTY_QUEUE, label: { ...submitted, status: "open" }, next: queue.label ?? queue.next, further };
}
