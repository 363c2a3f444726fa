import { useCallback, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { fetchedOnce } from "@/ui/partOfPage";
import { IN_PROBLEM, PLACE, type SymbolTrace } from "./symbolTrace";

export interface SymbolTracing {
  trace: SymbolTrace | null;
  /** Follow the step's next symbol, or its first if none is followed. False if there is none. */
  next: (step: number) => Promise<boolean>;
  /** Go to the place before or after the one in hand. */
  go: (by: 1 | -1) => void;
  end: () => void;
}

const fetchTools = fetchedOnce(() => import("./tracedPlaces"));

/** `onStep`: focus the step that contains the place in hand. `shown`: changes whenever the page shows other texts. */
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
      if (place && place.where !== IN_PROBLEM) flushSync(() => onStep(place.where)); // bring the step into sight first
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: other texts have other places
  useEffect(() => {
    if (!following || !tools.current) return;
    const { follow, retrace, symbolAt } = tools.current;
    // Redrawn text (raw text, a narrower window) has lost its marks.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: marks the texts that have arrived
  useEffect(() => {
    const { retrace } = tools.current ?? {};
    if (retrace) setTrace((old) => old && retrace(old));
  }, [shown]);

  return { trace, next, go, end };
}

/** The browser paints marks over the text (`::highlight` in theme.css): nothing moves or is redrawn. */
function mark({ places, here }: SymbolTrace): void {
  if (typeof Highlight === "undefined") return; // the message still says how many places there are, and where
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
