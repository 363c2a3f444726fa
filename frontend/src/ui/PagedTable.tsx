import type { ReactNode } from "react";
import { Link, type LinkProps } from "react-router";
import { Button } from "./Button";
import { DataTable, type TableColumn } from "./DataTable";
import classes from "./DataTable.module.css";
import { countOf } from "./format";
import { ErrorState, SkeletonLines } from "./states";

/** The parts of a keyset-paged list that the table needs. */
interface PagedList<Row> {
  rows: Row[] | undefined;
  error: unknown;
  isPlaceholderData: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
}

interface PagedTableProps<Row> {
  caption: string;
  list: PagedList<Row>;
  columns: TableColumn<Row>[];
  rowKey: (row: Row) => string | number;
  /** Why the list is empty, and what to do. */
  empty: ReactNode;
  /** The noun for a row: "trace". */
  one: string;
  many?: string;
  /** As in `DataTable`. */
  aligned?: boolean;
}

/** A list fetched page by page: skeleton, rows, "load more", the reason when empty, a retry when it failed. */
export function PagedTable<Row>({ caption, list, columns, rowKey, empty, one, many, aligned }: PagedTableProps<Row>) {
  if (list.error && !list.rows) return <ErrorState inline error={list.error} retry={() => void list.refetch()} />;
  if (list.rows?.length === 0 && !list.isPlaceholderData) {
    if (list.error) return <ErrorState inline error={list.error} retry={() => void list.fetchNextPage()} />;
    return list.hasNextPage ? <SkeletonLines lines={5} label="Looking further back" /> : empty;
  }
  return (
    <>
      <DataTable
        caption={caption}
        columns={columns}
        rows={list.rows}
        rowKey={rowKey}
        stale={list.isPlaceholderData}
        aligned={aligned}
      />
      {list.rows && (
        <div className={classes.more}>
          {list.hasNextPage && (
            <Button onClick={() => void list.fetchNextPage()} disabled={list.isFetchingNextPage}>
              {list.isFetchingNextPage ? "Loading…" : "Load more"}
            </Button>
          )}
          <span aria-live="polite">
            {list.hasNextPage ? `first ${countOf(list.rows.length, one, many)}` : countOf(list.rows.length, one, many)}
          </span>
          {list.error ? <span role="alert">The next rows did not load.</span> : null}
        </div>
      )}
    </>
  );
}

/** The link of a row's main cell; the whole row can be clicked. */
export function RowLink(props: LinkProps) {
  return <Link {...props} className={classes.link} />;
}
