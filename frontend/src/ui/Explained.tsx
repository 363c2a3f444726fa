import type { ReactNode } from "react";
import classes from "./Explained.module.css";
import { Term } from "./glossary/Term";

interface ExplainedNumber {
  name: string;
  value: ReactNode;
  /** What it is a part of, or how sure it is. */
  note?: ReactNode;
  /** What the number means, in a sentence that someone outside the field understands. */
  means: ReactNode;
}

/** Numbers, each with a sentence that explains it. */
export function ExplainedNumbers({ numbers }: { numbers: ExplainedNumber[] }) {
  return (
    <dl className={classes.numbers}>
      {numbers.map(({ name, value, note, means }) => (
        <div key={name}>
          <dt>
            <Term>{name}</Term>
          </dt>
          <dd className={classes.value}>
            {value} {note && <small>{note}</small>}
          </dd>
          <dd className={classes.means}>{means}</dd>
        </div>
      ))}
    </dl>
  );
}
