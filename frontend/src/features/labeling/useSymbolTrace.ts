import { useCallback, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { fetchedOnce } from "@/ui/partOfPage";
import { IN_PROBLEM, PLACE, type SymbolTrace } from "./symbolTrace";

export interface SymbolTracing {
  trace: SymbolTrace | null;
  /** Another symbol of the step, in its order; the first one where none is followed. False: there is none. */
  next: (step: number) => Promise<boolean>;
  /** The place before or after the one in hand. */
  go: (by: 1 | -1) => void;
  end: () => void;
}

const fetchTools = fetchedOnce(() => import("./tracedPlaces"));

/**
 * `onStep`: put the focus on the step whose place is in hand. `shown`: changes when other texts are on the page, where they
 * come and go.
 */
export function useSymbolTrace(onStep: (step: number) => void, shown?: string): SymbolTracing {
  const [trace, setTrace] = useState<SymbolTrace | null>(null);
  const current = useRef(trace);
  current.current = trace;
  const tools = useRef<typeof import("./tracedPlaces") | null>(null);

  const end = useCallback(() => setTrace(null), []);
  const next = useCallback(async (step: number) => {
    tools.current = await fetchTools();
    const { follow, nextSymbol } = tools.current;
    const found = nextSymbol(step, current.current);
    if (!found) return false;
    current.current = follow(found, step); // another press may come before the page is drawn
    setTrace(current.current);
    return true;
  }, []);
  const go = useCallback(
    (by: 1 | -1) => {
      const old = current.current;
      if (!old || old.places.length === 0) return;
      const here = (old.here + by + old.places.length) % old.places.length;
      setTrace({ ...old, here });
      const place = old.places[here];
      if (place && place.where !== IN_PROBLEM) flushSync(() => onStep(place.where)); // its step comes into sight, then it
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: other texts are other places
  useEffect(() => {
    if (!following || !tools.current) return;
    const { follow, retrace, symbolAt } = tools.current;
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
  }, [following, shown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: marks what has come
  useEffect(() => {
    const { retrace } = tools.current ?? {};
    if (retrace) setTrace((old) => old && retrace(old));
  }, [shown]);

  return { trace, next, go, end };
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
