import { Link } from "react-router";
import type { LabelerFigures, Labelers } from "@/api/deskTypes";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { formatCount } from "@/ui/format";
import { RowLink } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import classes from "./labelers.module.css";
import { activeOf, seconds } from "./labelerWords";
import { type LabelersFilters, labelsOf, medianWords, newestMark } from "./sideBySide";

interface LabelersTableProps {
  slug: string;
  found: Labelers;
  /** The filters sent to the server, which links to labels use too. */
  asked: LabelersFilters;
}

/** One row per labeler. Its counts link to the labels that they count. */
export function LabelersTable({ slug, found, asked }: LabelersTableProps) {
  return (
    <Panel bare title="In numbers">
      <DataTable
        aligned
        caption="Labelers side by side"
        columns={columnsOf(slug, found.floor_ms, asked, newestName(found))}
        rows={found.results}
        rowKey={(row) => row.id}
      />
    </Panel>
  );
}

/** "Newest 10" */
function newestName({ results }: Labelers): string {
  const told = results.find((row) => row.pace.newest !== null)?.pace.newest;
  return told ? `Newest ${told.n}` : "Newest";
}

const columnsOf = (
  slug: string,
  floorMs: number,
  asked: LabelersFilters,
  newest: string,
): TableColumn<LabelerFigures>[] => [
  {
    name: "Labeler",
    main: true,
    cell: (row) => (
      <>
        <RowLink to={`/projects/${slug}/labelers/${row.id}`}>{row.display_name}</RowLink>{" "}
        {!row.is_active && <StatusMark tone="quiet">deactivated</StatusMark>}
      </>
    ),
  },
  {
    name: "Labels",
    align: "right",
    cell: (row) => (
      <Counted to={labelsOf(slug, row.id, asked)} count={row.labels} what={`labels of ${row.display_name}`} />
    ),
  },
  { name: "Steps", align: "right", cell: (row) => formatCount(row.steps) },
  { name: "Active time", align: "right", cell: activeOf },
  {
    name: "Time per step",
    align: "right",
    cell: (row) => <span title={medianWords(row)}>{seconds(row.seconds_a_step)}</span>,
  },
  { name: newest, align: "right", cell: (row) => <Newest row={row} floorMs={floorMs} /> },
  {
    name: "Hasty",
    align: "right",
    cell: (row) => {
      const hasty = Math.round((row.too_fast.value ?? 0) * row.too_fast.n);
      const what = `hasty labels of ${row.display_name}`;
      return <Counted to={labelsOf(slug, row.id, asked, "hasty")} count={hasty} what={what} />;
    },
  },
  { name: "Last label", cell: (row) => <RelativeTime at={row.last_at} /> },
];

/** A count that links to what it counts. */
function Counted({ to, count, what }: { to: string; count: number; what: string }) {
  if (count === 0) return "0";
  return (
    <Link className={classes.counted ?? ""} to={to} aria-label={`${formatCount(count)} ${what}`}>
      {formatCount(count)}
    </Link>
  );
}

/** The median of the newest labels and, if it differs, how it compares with the rest. */
function Newest({ row, floorMs }: { row: LabelerFigures; floorMs: number }) {
  const { newest } = row.pace;
  if (newest === null) return "n/a";
  const mark = newestMark(row.pace, floorMs);
  return (
    <span className={classes.newest}>
      {mark && <StatusMark tone={mark.tone}>{mark.word}</StatusMark>} <span>{seconds(newest.value)}</span>
    </span>
  );
}
