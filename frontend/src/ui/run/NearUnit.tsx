import { useEffect, useRef, useState } from "react";
import type { Placed } from "./answers";
import { RunSteps } from "./runParts";
import type { RunSource } from "./typedStep";
import { whenNear } from "./whenNear";

interface NearUnitProps {
  steps: readonly Placed[];
  source: RunSource;
}

const LINE = 20;
const MOST_LINES = 160;

/** A unit of a long run: rendered once it comes near the visible part of the page, and from then on. */
export function NearUnit({ steps, source }: NearUnitProps) {
  const [near, setNear] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => (place.current ? whenNear(place.current, () => setNear(true)) : undefined), []);
  if (near) return <RunSteps steps={steps} source={source} />;
  return <div ref={place} style={{ height: heightOf(steps) }} />;
}

/** Its approximate height, so that little moves when it is rendered. */
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
