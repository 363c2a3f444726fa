import { useCallback, useEffect, useRef, useState } from "react";
import { type SymbolPlace, symbolPlaces } from "@/ui/math/symbolPlaces";

/** Where a symbol stands: a step from 0, or the problem. */
export const IN_PROBLEM = -1;

interface Place {
  where: number;
  ranges: Range[];
}

/** A symbol that is followed through problem and steps. */
export interface SymbolTrace {
  key: string;
  tex: string | null;
  places: readonly Place[];
  /** The place in hand: an index of `places`. */
  here: number;
}

export interface SymbolTracing {
  trace: SymbolTrace | null;
  /** Another symbol of the step, in its order; the first one where none is followed. False: there is none. */
  next: (step: number) => boolean;
  /** The place before or after the one in hand. */
  go: (by: 1 | -1) => void;
  end: () => void;
}

const PLACE = "[data-traced]";

/** `onStep`: put the focus on the step whose place is in hand. */
export function useSymbolTrace(onStep: (step: number) => void): SymbolTracing {
  const [trace, setTrace] = useState<SymbolTrace | null>(null);
  const current = useRef(trace);
  current.current = trace;

  const end = useCallback(() => setTrace(null), []);
  const next = useCallback((step: number) => {
    const found = nextSymbol(step, current.current);
    if (found) setTrace(follow(found, step));
    return found !== null;
  }, []);
  const go = useCallback(
    (by: 1 | -1) => {
      const old = current.current;
      if (!old || old.places.length === 0) return;
      const here = (old.here + by + old.places.length) % old.places.length;
      setTrace({ ...old, here });
      const place = old.places[here];
      if (place && place.where !== IN_PROBLEM) onStep(place.where);
      place?.ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
    },
    [onStep],
  );

  useEffect(() => {
    if (!trace) return;
    mark(trace);
    return unmark;
  }, [trace]);

  const following = trace !== null;
  useEffect(() => {
    if (!following) return;
    // What is drawn anew (raw text, a window that became narrower) has lost its marks.
    let frame = 0;
    const seen = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setTrace((old) => old && retrace(old)));
    });
    for (const root of document.querySelectorAll(PLACE)) seen.observe(root, { childList: true, subtree: true });
    const pick = (event: MouseEvent) => {
      const found = symbolAt(event);
      if (found) setTrace(follow(found.symbol, found.where));
    };
    document.addEventListener("click", pick);
    return () => {
      cancelAnimationFrame(frame);
      seen.disconnect();
      document.removeEventListener("click", pick);
    };
  }, [following]);

  return { trace, next, go, end };
}

function whereOf(root: Element): number {
  return Number(root.getAttribute("data-traced"));
}

/** The symbol after the one that is followed, among those of the step, each once; of the problem where the step has none. */
function nextSymbol(step: number, old: SymbolTrace | null): SymbolPlace | null {
  for (const where of [step, IN_PROBLEM]) {
    const all = [...document.querySelectorAll(`[data-traced="${where}"]`)].flatMap((root) => symbolPlaces(root));
    const once = all.filter(({ key }, index) => all.findIndex((other) => other.key === key) === index);
    const at = once.findIndex(({ key }) => key === old?.key);
    const found = once[(at + 1) % once.length];
    if (found) return found;
  }
  return null;
}

/** All places of a symbol, in the order of reading: the problem first. */
function follow({ key, tex }: SymbolPlace, from: number): SymbolTrace {
  const places = placesOf(key);
  return {
    key,
    tex,
    places,
    here: Math.max(
      0,
      places.findIndex((place) => place.where === from),
    ),
  };
}

function placesOf(key: string): Place[] {
  const roots = [...document.querySelectorAll(PLACE)].toSorted((a, b) => whereOf(a) - whereOf(b));
  return roots.flatMap((root) =>
    symbolPlaces(root, key).map(({ ranges }) => ({ where: whereOf(root), ranges: ranges() })),
  );
}

function retrace(old: SymbolTrace): SymbolTrace {
  const places = placesOf(old.key);
  return { ...old, places, here: Math.min(old.here, Math.max(0, places.length - 1)) };
}

function symbolAt({ target, clientX, clientY }: MouseEvent): { symbol: SymbolPlace; where: number } | null {
  const root = target instanceof Element ? target.closest(PLACE) : null;
  if (!root) return null;
  const symbol = symbolPlaces(root).find(({ ranges }) =>
    ranges().some((range) => [...range.getClientRects()].some((box) => holds(box, clientX, clientY))),
  );
  return symbol ? { symbol, where: whereOf(root) } : null;
}

function holds({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean {
  return left <= x && x <= right && top <= y && y <= bottom;
}

/** Marks are painted over the text by the browser (`::highlight` in theme.css): nothing moves, nothing is drawn anew. */
function mark({ places, here }: SymbolTrace): void {
  if (typeof Highlight === "undefined") return; // the words still tell how many places there are, and where
  const [first] = places;
  const set = (name: string, ranges: Range[], priority: number) => {
    const highlight = new Highlight(...ranges);
    highlight.priority = priority;
    CSS.highlights.set(name, highlight);
  };
  set(
    "traced",
    places.flatMap(({ ranges }) => ranges),
    0,
  );
  set("traced-first", first?.ranges ?? [], 1);
  set("traced-here", places[here]?.ranges ?? [], 2);
}

function unmark(): void {
  if (typeof Highlight === "undefined") return;
  for (const name of ["traced", "traced-first", "traced-here"]) CSS.highlights.delete(name);
}

/** "35 places, first in the problem, then in 19 steps. Place 31: step 26." */
export function traceWords({ places, here }: SymbolTrace): string {
  const [first] = places;
  if (!first) return "not on this page any more";
  const steps = new Set(places.filter(({ where }) => where !== IN_PROBLEM).map(({ where }) => where)).size;
  const then = first.where === IN_PROBLEM ? steps : steps - 1;
  const count = places.length === 1 ? "1 place" : `${places.length} places`;
  const rest =
    then > 0 ? `, then in ${then} ${first.where === IN_PROBLEM ? "" : "other "}${then === 1 ? "step" : "steps"}` : "";
  return `${count}, first in ${nameOf(first.where)}${rest}. Place ${here + 1}: ${nameOf(places[here]?.where ?? 0)}.`;
}

function nameOf(where: number): string {
  return where === IN_PROBLEM ? "the problem" : `step ${where + 1}`;
}
