import type { ReactNode } from "react";
import { Term } from "./glossary/Term";
import classes from "./Panel.module.css";

interface PanelProps {
  /** For links within the page. */
  id?: string;
  title?: string;
  /** A sentence under the title. */
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Without the card around it: a titled part of the page. */
  bare?: boolean;
}

/** A part of a page with a name of its own. */
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

/** Characters from which a value gets a line of its own. */
const LONG = 80;

/** Name and value pairs; what is drawn of a text comes with the text, so that a long one has room as well. */
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

/** One number that matters, with its name. */
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
