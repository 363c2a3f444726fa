import { type ReactNode, useState } from "react";
import { Button } from "@/ui/Button";
import { formatCount } from "@/ui/format";
import classes from "./run.module.css";

const AT_ONCE = 200; // a message may call thousands of tools at once, and a result be a list of a million

interface EntriesProps<T> {
  of: readonly T[];
  children: (one: T, place: number) => ReactNode;
  /** What they stand in, where that is an element of its own. */
  around?: (shown: ReactNode) => ReactNode;
  /** All of them at once. */
  whole?: boolean;
}

/** Entries under one another: of very many the first, and more as they are asked for. */
export function Entries<T>({ of, children, around = (shown) => shown, whole = false }: EntriesProps<T>) {
  const [most, setMost] = useState(whole ? of.length : AT_ONCE);
  const left = of.length - most;
  return (
    <>
      {around(of.slice(0, most).map(children))}
      {left > 0 && (
        <p className={classes.none}>
          {formatCount(left)} more entries are not shown.{" "}
          <Button onClick={() => setMost(most + AT_ONCE)}>Show {formatCount(Math.min(AT_ONCE, left))} more</Button>
        </p>
      )}
    </>
  );
}
