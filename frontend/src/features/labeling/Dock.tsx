import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "@/ui/Button";
import { writeOn } from "@/ui/writeOn";
import classes from "./Dock.module.css";

interface DockProps {
  title: string;
  /** The label of the key that opened it, which also closes it. */
  keyCap: string;
  onClose: () => void;
  onEnter: () => void;
  onLeave: () => void;
  children: ReactNode;
}

/**
 * Something to read or write next to the steps. It covers the problem, never a step, and all keys keep working. While
 * it has the focus, the keys for scrolling act on it.
 */
export function Dock({ title, keyCap, onClose, onEnter, onLeave, children }: DockProps) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const first = ref.current?.querySelector<HTMLElement>("[data-first]");
    writeOn(first ?? ref.current, { preventScroll: true });
  }, []);
  return (
    <aside
      ref={ref}
      className={classes.dock}
      aria-label={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
    >
      <div className={classes.head}>
        <h2>{title}</h2>
        <Button kind="plain" aria-label={`Close: ${title}, key ${keyCap}`} onClick={onClose}>
          <kbd>{keyCap}</kbd> ✕
        </Button>
      </div>
      {children}
    </aside>
  );
}
