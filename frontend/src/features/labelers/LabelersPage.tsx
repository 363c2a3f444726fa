import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { api } from "@/api/client";
import type { Estimate, LabelerFigures, Labelers } from "@/api/deskTypes";
import { AsOf } from "@/ui/AsOf";
import { DownloadLink } from "@/ui/Button";
import { ChartFigure, type Tone } from "@/ui/charts/ChartFigure";
import { type ValueRow, ValueRows } from "@/ui/charts/ValueRows";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { countOf, formatCount, formatDuration } from "@/ui/format";
import { RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./labelers.module.css";

/** People side by side: how much, how fast, and how they agree. Whoever was deactivated stays. */
export function LabelersPage() {
  const { slug = "" } = useParams();
  const labelers = useQuery({
    queryKey: ["labelers", slug],
    queryFn: ({ signal }) => api.get<Labelers>(`/api/projects/${slug}/labelers`, { signal }),
  });
  const rows = labelers.data?.results;
  return (
    <>
      <PageHeading
        title="Labelers"
        actions={
          rows && rows.length > 0 ? (
            <DownloadLink href={`/api/projects/${slug}/labelers.csv`}>Download as CSV</DownloadLink>
          ) : undefined
        }
      >
        <AsOf at={labelers.data?.as_of} came={labelers.dataUpdatedAt} />
      </PageHeading>
      {labelers.isPending && <SkeletonLines lines={10} />}
      {labelers.isError && <ErrorState inline error={labelers.error} retry={() => void labelers.refetch()} />}
      {rows?.length === 0 && (
        <EmptyState inline title="Nobody has labeled yet">
          <p>With the first labels people stand here side by side: how much, how fast, and how they agree.</p>
        </EmptyState>
      )}
      {rows && rows.length > 0 && <SideBySide slug={slug} rows={rows} />}
    </>
  );
}

function SideBySide({ slug, rows }: { slug: string; rows: LabelerFigures[] }) {
  return (
    <>
      <div className={classes.charts}>
        <Shares
          title="Agrees with gold"
          note="of hidden gold tasks"
          rows={rows}
          of={(row) => row.gold}
          tone="plus"
          unit="task"
          empty="Nobody has met a hidden gold task yet."
        />
        <Shares
          title="Same first error as peers"
          note="of pairs of labels of one task"
          rows={rows}
          of={(row) => row.peers}
          tone="plus"
          unit="pair"
          empty="No task has the labels of two people yet."
        />
        <Speed rows={rows} />
        <Shares
          title="Gave up"
          note="of labels"
          rows={rows}
          of={(row) => row.give_up}
          tone="zero"
          unit="label"
          empty="No labels yet."
        />
        <Shares
          title="Too fast"
          note="of labels, under 2 s a step"
          rows={rows}
          of={(row) => row.too_fast}
          tone="warn"
          unit="label"
          empty="No label has rated steps yet."
        />
      </div>
      <Panel bare title="In numbers">
        <DataTable
          aligned
          caption="Labelers side by side"
          columns={columnsOf(slug)}
          rows={rows}
          rowKey={(row) => row.id}
        />
      </Panel>
    </>
  );
}

interface SharesProps {
  title: string;
  note: string;
  rows: LabelerFigures[];
  of: (row: LabelerFigures) => Estimate;
  tone: Tone;
  unit: string;
  empty: string;
}

const percent = (value: number) => `${Math.round(value * 100)} %`;

function Shares({ title, note, rows, of, tone, unit, empty }: SharesProps) {
  const shown: ValueRow[] = rows
    .filter((row) => of(row).n > 0)
    .map((row) => ({ key: row.id, name: nameOf(row), ...of(row), tone, words: shareWords(of(row), unit) }));
  return (
    <ChartFigure
      title={title}
      note={note}
      table={{ head: ["Labeler", "Share"], rows: shown.map((row) => [row.name, row.words ?? ""]) }}
      empty={shown.length === 0 ? empty : undefined}
    >
      <ValueRows rows={shown} format={percent} top={1} />
    </ChartFigure>
  );
}

/** "50 % of 8 pairs, 95 %: 22 to 78 %" */
export function shareWords({ value, low, high, n }: Estimate, unit: string): string {
  if (value === null) return "n/a";
  const interval = low === null || high === null ? "" : `, 95 %: ${Math.round(low * 100)} to ${percent(high)}`;
  return `${percent(value)} of ${countOf(n, unit)}${interval}`;
}

function Speed({ rows }: { rows: LabelerFigures[] }) {
  const seconds = (value: number) => `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} s`;
  const shown: ValueRow[] = rows.map((row) => ({
    key: row.id,
    name: nameOf(row),
    value: row.seconds_a_step,
    low: null,
    high: null,
    tone: "focus",
  }));
  return (
    <ChartFigure
      title="Active time a step"
      note="median over labels"
      table={{
        head: ["Labeler", "Seconds a step"],
        rows: rows.map((row) => [nameOf(row), row.seconds_a_step === null ? "n/a" : seconds(row.seconds_a_step)]),
      }}
    >
      <ValueRows rows={shown} format={seconds} />
    </ChartFigure>
  );
}

function nameOf(row: LabelerFigures): string {
  return row.is_active ? row.display_name : `${row.display_name} (deactivated)`;
}

const columnsOf = (slug: string): TableColumn<LabelerFigures>[] => [
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
  { name: "Labels", align: "right", cell: (row) => formatCount(row.labels) },
  { name: "Steps", align: "right", cell: (row) => formatCount(row.steps) },
  { name: "Active time", align: "right", cell: (row) => formatDuration(row.active_ms) },
  {
    name: "Too fast",
    align: "right",
    cell: (row) => formatCount(Math.round((row.too_fast.value ?? 0) * row.too_fast.n)),
  },
  { name: "Last label", cell: (row) => <RelativeTime at={row.last_at} /> },
];
