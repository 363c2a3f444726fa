import type { Overview, Round } from "@/api/projectTypes";
import { ShareBar } from "@/ui/charts/ShareBar";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { formatCount, formatDuration, formatPercent } from "@/ui/format";
import { RowLink } from "@/ui/PagedTable";
import { RelativeTime } from "@/ui/RelativeTime";
import { progressWords, roundShares } from "@/ui/roundProgress";
import { StatusMark } from "@/ui/StatusMark";
import classes from "./overview.module.css";

type Labeler = Overview["labelers"][number];

const labelerColumns = (slug: string): TableColumn<Labeler>[] => [
  {
    name: "Labeler",
    main: true,
    cell: (labeler) => (
      <>
        <RowLink to={`/projects/${slug}/labelers/${labeler.id}`}>{labeler.display_name}</RowLink>{" "}
        {labeler.kind === "imported" && <StatusMark tone="quiet">imported</StatusMark>}
        {labeler.kind === "person" && !labeler.is_active && <StatusMark tone="quiet">deactivated</StatusMark>}
      </>
    ),
  },
  { name: "Labels", align: "right", cell: (labeler) => formatCount(labeler.labels) },
  { name: "Steps", align: "right", cell: (labeler) => formatCount(labeler.steps) },
  { name: "Active time", align: "right", cell: (labeler) => formatDuration(labeler.active_ms) },
  {
    name: "Per label",
    align: "right",
    cell: (labeler) => (labeler.timed_labels > 0 ? formatDuration(labeler.active_ms / labeler.timed_labels) : "–"),
  },
  { name: "Gave up", align: "right", cell: (labeler) => formatPercent(labeler.give_up, labeler.labels) },
  { name: "Last label", cell: (labeler) => <RelativeTime at={labeler.last_at} /> },
];

export function LabelersTable({ slug, overview }: { slug: string; overview: Overview }) {
  if (overview.labelers.length === 0) return <p className={classes.quiet}>Nobody has labeled yet.</p>;
  return (
    <DataTable
      caption="Labelers with their work"
      columns={labelerColumns(slug)}
      rows={overview.labelers}
      rowKey={(labeler) => labeler.id}
    />
  );
}

export function RoundsTable({ slug, overview }: { slug: string; overview: Overview }) {
  if (overview.rounds.length === 0) return <p className={classes.quiet}>There are no rounds yet.</p>;
  const columns: TableColumn<Round>[] = [
    {
      name: "Round",
      main: true,
      cell: (round) => (
        <RowLink to={`/projects/${slug}/rounds/${round.id}`}>{round.name || `Round ${round.number}`}</RowLink>
      ),
    },
    { name: "State", cell: (round) => (round.imported ? "imported" : round.status) },
    {
      name: "Progress",
      width: "260px",
      cell: (round) => (
        <div className={classes.roundProgress}>
          <ShareBar thin legend={false} shares={roundShares(round)} />
          {progressWords(round)}
        </div>
      ),
    },
  ];
  return (
    <DataTable
      caption="Rounds with their progress"
      columns={columns}
      rows={overview.rounds}
      rowKey={(round) => round.id}
    />
  );
}
