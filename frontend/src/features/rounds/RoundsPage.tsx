import { useParams } from "react-router";
import type { Round } from "@/api/projectTypes";
import { StartLink } from "@/ui/ActiveProject";
import { ButtonLink } from "@/ui/Button";
import { ShareBar } from "@/ui/charts/ShareBar";
import type { TableColumn } from "@/ui/DataTable";
import { formatCount } from "@/ui/format";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { RelativeTime } from "@/ui/RelativeTime";
import { progressWords, roundShares } from "@/ui/roundProgress";
import { EmptyState } from "@/ui/states";
import { useRounds } from "./queries";
import { placeOf } from "./roundStages";
import { RoundStatusMark, roundName } from "./roundStatus";
import classes from "./rounds.module.css";

const columns: TableColumn<Round>[] = [
  {
    name: "Round",
    main: true,
    cell: (round) => (
      <>
        <RowLink to={String(round.id)}>{roundName(round)}</RowLink>
        <span className={classes.number}>
          {[round.name && `round ${round.number}`, round.prm?.name].filter(Boolean).join(" · ")}
        </span>
      </>
    ),
  },
  { name: "State", cell: (round) => <RoundStatusMark round={round} /> },
  { name: "Progress", cell: (round) => <Progress round={round} />, width: "210px" },
  { name: "Tasks", align: "right", cell: (round) => formatCount(round.counts.tasks) },
  {
    name: "Overlap",
    align: "right",
    cell: (round) => (round.overlap_most > 0 ? `${round.overlap}–${round.overlap_most}` : round.overlap),
  },
  { name: "Priority", align: "right", cell: (round) => round.priority },
  { name: "Opened", cell: (round) => <RelativeTime at={round.opened_at} none="not yet" /> },
];

/** Return why a round has not reached its labelers yet; null once it has. */
function beforeLabeling(round: Round): string | null {
  const place = placeOf(round);
  if (round.with_workers) return round.working ? `workers are ${place}` : `stopped while ${place}`;
  if (place === "ready") return "look at it and publish it";
  return place === "cancelled" || place === "failed" ? "reached no labeler" : null;
}

function Progress({ round }: { round: Round }) {
  const before = beforeLabeling(round);
  if (before !== null) return <span className={classes.before}>{before}</span>;
  return (
    <div className={classes.progress}>
      <ShareBar thin legend={false} shares={roundShares(round)} />
      {progressWords(round)}
    </div>
  );
}

export function RoundsPage() {
  const { slug = "" } = useParams();
  const rounds = useRounds(slug);
  const open = (
    <StartLink kind="primary" to={`/projects/${slug}/rounds/new`}>
      New round
    </StartLink>
  );
  return (
    <>
      <PageHeading
        title="Rounds"
        actions={
          rounds.rows?.length !== 0 && (
            <>
              <ButtonLink to={`/projects/${slug}/rounds/compare`}>Compare</ButtonLink>
              {open}
            </>
          )
        }
      />
      <PagedTable
        caption="Rounds, newest first"
        list={rounds}
        columns={columns}
        rowKey={(round) => round.id}
        one="round"
        empty={
          <EmptyState inline title="No rounds yet" actions={open}>
            <p>
              A round puts traces on the queue: all of them, a selection, or those that fool a model. Nobody can label
              until a round is open.
            </p>
          </EmptyState>
        }
      />
    </>
  );
}
