import type { ReactNode } from "react";
import classes from "./Explained.module.css";
import { Term } from "./glossary/Term";

interface ExplainedNumber {
  name: string;
  value: ReactNode;
  /** Of what, or how sure. */
  note?: ReactNode;
  /** What the number means, in a sentence somebody outside the field understands. */
  means: ReactNode;
}

/** Numbers, each with the sentence that says what it means. */
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
