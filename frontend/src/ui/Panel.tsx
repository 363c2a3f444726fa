import type { ReactNode } from "react";
import { Term } from "./glossary/Term";
import classes from "./Panel.module.css";

interface PanelProps {
  /** The target of links within the page. */
  id?: string;
  title?: string;
  /** A sentence under the title. */
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Without a card around it: a titled part of the page. */
  bare?: boolean;
}

/** A named part of a page. */
export function Panel({ title, note, actions, children, bare, id }: PanelProps) {
  return (
    <section id={id} className={bare ? classes.bare : classes.panel} aria-label={title}>
      {(title || actions) && (
        <div className={classes.head}>
          <div className={classes.title}>
            {title && (
              <h2>
                <Term>{title}</Term>
              </h2>
            )}
            {note && <p>{note}</p>}
          </div>
          {actions && <div className={classes.actions}>{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** A value with more characters than this gets a line of its own. */
const LONG = 80;

/**
 * Name and value pairs. A value that is an element comes with its text too, so that a long one also gets enough room.
 */
export function Facts({ facts }: { facts: [name: string, value: ReactNode, text?: string | null][] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value, text = value]) => (
        <div key={name} className={typeof text === "string" && text.length > LONG ? classes.long : ""}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** One important number with its name. */
export function Figure({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className={classes.figure}>
      <span>
        <Term>{name}</Term>
      </span>
      <strong>{value}</strong>
      {note && <small>{note}</small>}
    </div>
  );
}

/** Figures side by side. */
export function Figures({ children }: { children: ReactNode }) {
  return <div className={classes.figures}>{children}</div>;
}
