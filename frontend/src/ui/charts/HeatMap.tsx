import { Fragment } from "react";
import classes from "./HeatMap.module.css";

interface HeatCell {
  /** The text in the cell. */
  text: string;
  /** From 0 (paper) to 1 (full colour). */
  strength: number;
  /** The full text of the cell, for hover and screen readers. */
  says: string;
}

interface HeatMapProps {
  /** The picture's name for screen readers. */
  label: string;
  rows: string[];
  columns: string[];
  /** The cell at a row and column; null if there is nothing to show. */
  cell: (row: number, column: number) => HeatCell | null;
}

/** Numbers in a grid, darker for stronger ones; the columns are named at the top, the rows at the left. */
export function HeatMap({ label, rows, columns, cell }: HeatMapProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={classes.scroll} tabIndex={0} aria-label={label}>
      <table className={classes.map}>
        <thead>
          <tr>
            <td />
            {columns.map((name) => (
              <th key={name} scope="col" title={name}>
                <span>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((name, row) => (
            <tr key={name}>
              <th scope="row" title={name}>
                <span>{name}</span>
              </th>
              {columns.map((column, place) => (
                <Fragment key={column}>
                  <Cell cell={cell(row, place)} />
                </Fragment>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ cell }: { cell: HeatCell | null }) {
  if (cell === null) return <td className={classes.empty} />;
  const share = Math.round(Math.min(1, Math.max(0, cell.strength)) * 100);
  return (
    <td
      title={cell.says}
      data-strong={share > 70 || undefined}
      style={{ background: `color-mix(in srgb, var(--heat-high) ${share}%, var(--sunken))` }}
    >
      <span aria-hidden>{cell.text}</span>
      <span className="visually-hidden">{cell.says}</span>
    </td>
  );
}
