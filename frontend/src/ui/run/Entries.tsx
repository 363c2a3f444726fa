import { type ReactNode, useState } from "react";
import { Button } from "@/ui/Button";
import { formatCount } from "@/ui/format";
import classes from "./run.module.css";

const AT_ONCE = 200; // one message may call thousands of tools, and a result may be a list of a million

interface EntriesProps<T> {
  of: readonly T[];
  children: (one: T, place: number) => ReactNode;
  /** Wraps the entries in an element of their own. */
  around?: (shown: ReactNode) => ReactNode;
  /** Show all of them at once. */
  whole?: boolean;
}

/** A list of entries: if there are very many, the first ones, and more on demand. */
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
