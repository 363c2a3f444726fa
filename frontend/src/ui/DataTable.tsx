// biome-ignore-all lint/a11y/noRedundantRoles: some browsers stop treating a table as one when its display changes
import type { ReactNode } from "react";
import classes from "./DataTable.module.css";
import { Term } from "./glossary/Term";
import { Skeleton } from "./states";

export interface TableColumn<Row> {
  /** The header, and on a phone the name in front of the value. */
  name: string;
  cell: (row: Row) => ReactNode;
  align?: "right";
  /** The column that takes the remaining width, and is the row's heading on a phone. */
  main?: boolean;
  /** The header is only for screen readers: a column of buttons. */
  quiet?: boolean;
  /** CSS width of the column on a wide window. */
  width?: string;
}

interface DataTableProps<Row> {
  /** The table's name for screen readers. */
  caption: string;
  columns: TableColumn<Row>[];
  /** `undefined` while the first rows are loading. */
  rows: Row[] | undefined;
  rowKey: (row: Row) => string | number;
  /** The rows shown belong to an older filter. */
  stale?: boolean;
  skeletonRows?: number;
  /** On a phone, put each value on its own line, all aligned at one edge: for figures that are compared. */
  aligned?: boolean;
}

function cellClass<Row>(column: TableColumn<Row>): string {
  return [
    column.align === "right" ? classes.right : "",
    column.main ? classes.main : "",
    column.quiet ? classes.quiet : "",
  ]
    .filter(Boolean)
    .join(" ");
}

function SkeletonRows<Row>({ columns, count }: { columns: TableColumn<Row>[]; count: number }) {
  return Array.from({ length: count }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move
    <tr key={index} className={classes.row}>
      {columns.map((column) => (
        <td key={column.name} className={cellClass(column)}>
          <Skeleton width={column.main ? "72%" : "56px"} />
        </td>
      ))}
    </tr>
  ));
}

/**
 * Rows and columns on a wide window; on a phone, each row becomes a block of named values. The roles are explicit
 * because browsers stop treating a table as one when its display changes.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  stale,
  skeletonRows = 6,
  aligned,
}: DataTableProps<Row>) {
  return (
    <table
      role="table"
      className={classes.table}
      aria-busy={rows === undefined || stale}
      data-stale={stale || undefined}
      data-aligned={aligned || undefined}
    >
      <caption className="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th
              key={column.name}
              role="columnheader"
              scope="col"
              className={cellClass(column)}
              style={column.width ? { width: column.width } : undefined}
            >
              {column.quiet ? <span className="visually-hidden">{column.name}</span> : <Term whole>{column.name}</Term>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows === undefined && <SkeletonRows columns={columns} count={skeletonRows} />}
        {rows?.map((row) => (
          <tr role="row" key={rowKey(row)} className={classes.row}>
            {columns.map((column) => (
              <td
                role="cell"
                key={column.name}
                className={cellClass(column)}
                data-name={column.quiet ? undefined : column.name}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
