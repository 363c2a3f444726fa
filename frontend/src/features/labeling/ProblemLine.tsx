import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { MathText } from "@/ui/math/MathText";
import { excerpt } from "@/ui/trace/excerpt";
import classes from "./ProblemLine.module.css";

/** Includes some air: a problem that ends just below the header is as good as out of sight. */
const HEADER_PX = 64;

interface ProblemLineProps {
  problem: string;
  /** The whole problem; the line replaces it while it is out of sight. */
  pane: RefObject<HTMLElement | null>;
  children: ReactNode;
}

/** On a phone: one line of the problem under the header while you read its steps. Pressing it opens it over them. */
export function ProblemLine({ problem, pane, children }: ProblemLineProps) {
  const [gone, setGone] = useState(false);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!pane.current) return;
    const sight = new IntersectionObserver(([entry]) => setGone((entry?.boundingClientRect.bottom ?? 0) < HEADER_PX), {
      rootMargin: `-${HEADER_PX}px 0px 0px 0px`,
    });
    sight.observe(pane.current);
    return () => sight.disconnect();
  }, [pane]);
  if (!gone) return null;
  return (
    <div className={classes.line}>
      <button type="button" className={classes.button} aria-expanded={open} onClick={() => setOpen(!open)}>
        <strong>Problem {open ? "▴" : "▾"}</strong>
        {!open && (
          <span className={classes.start}>
            <MathText text={excerpt(problem.slice(0, 160))} excerpt />
          </span>
        )}
      </button>
      {open && <div className={classes.whole}>{children}</div>}
    </div>
  );
}
