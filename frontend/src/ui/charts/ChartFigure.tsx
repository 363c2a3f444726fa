import type { ReactNode } from "react";
import classes from "./charts.module.css";

export type Tone = "plus" | "zero" | "minus" | "focus" | "warn" | "line";

/** The custom property that every mark of a chart is painted with. */
export function toneStyle(tone: Tone): Record<string, string> {
  return { "--tone": tone === "line" ? "color-mix(in srgb, var(--outline) 45%, transparent)" : `var(--${tone})` };
}

interface ChartFigureProps {
  title: string;
  note?: ReactNode;
  /** The same numbers as text: first the header cells, then the rows. */
  table: { head: string[]; rows: (string | number)[][] };
  empty?: string | undefined;
  /** Without a card around it: for a panel that has one. */
  bare?: boolean;
  children: ReactNode;
}

/** A chart with its name and, one key press away, its numbers as a table. */
export function ChartFigure({ title, note, table, empty, bare, children }: ChartFigureProps) {
  return (
    <figure className={classes.figure} data-bare={bare || undefined} aria-label={title}>
      <figcaption className={classes.caption}>
        <h2>{title}</h2>
        {note && <p>{note}</p>}
      </figcaption>
      {empty ? <p className={classes.nothing}>{empty}</p> : <div style={{ minWidth: 0 }}>{children}</div>}
      {!empty && (
        <details className={classes.behind}>
          <summary>Show as a table</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
          <section className={classes.scroll} tabIndex={0} aria-label={`${title}, as a table`}>
            <table>
              <thead>
                <tr>
                  {table.head.map((name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {table.rows.map(([name, ...cells], row) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: its index identifies a row; two may share a name
                  <tr key={row}>
                    <th scope="row">{name}</th>
                    {cells.map((cell, index) => (
                      <td key={table.head[index + 1]}>{cell}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </details>
      )}
    </figure>
  );
}
