import { useEffect, useRef, useState } from "react";
import type { Placed } from "./RunSteps";
import { RunSteps } from "./runParts";
import type { RunSource } from "./typedStep";

interface NearUnitProps {
  steps: readonly Placed[];
  source: RunSource;
}

const LINE = 20;
const MOST_LINES = 160;
const AHEAD = "1500px 0px";

/** A unit of a long run: drawn once it comes near to what is in sight, and from then on. */
export function NearUnit({ steps, source }: NearUnitProps) {
  const [near, setNear] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => (place.current ? whenNear(place.current, () => setNear(true)) : undefined), []);
  if (near) return <RunSteps steps={steps} source={source} />;
  return <div ref={place} style={{ height: heightOf(steps) }} />;
}

const waiting = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | null = null;

/** One observer for all units: thousands of them would each be asked in every frame. */
function whenNear(element: Element, then: () => void): () => void {
  const options: IntersectionObserverInit & { scrollMargin: string } = { rootMargin: AHEAD, scrollMargin: AHEAD };
  observer ??= new IntersectionObserver((seen, self) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      self.unobserve(target);
      waiting.get(target)?.();
    }
  }, options);
  waiting.set(element, then);
  observer.observe(element);
  return () => observer?.unobserve(element);
}

/** About how high it will be, so that little moves when it is drawn. */
function heightOf(steps: readonly Placed[]): number {
  const lines = steps.map(
    ({ step }) => 2 + Math.min(MOST_LINES, step.tail === undefined ? step.lines : MOST_LINES / 2),
  );
  return (
    LINE *
    Math.max(
      2,
      lines.reduce((sum, one) => sum + one, 0),
    )
  );
}
