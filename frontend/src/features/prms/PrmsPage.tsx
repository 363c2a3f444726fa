import { useState } from "react";
import { useParams } from "react-router";
import type { Prm } from "@/api/roundTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import type { Promotion, TrainingRunSummary } from "@/api/trainingTypes";
import { StartLink, WhileActive } from "@/ui/ActiveProject";
import { BaselineMark } from "@/ui/BaselineMark";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { Disclosure } from "@/ui/Disclosure";
import { formatCount } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { originWords } from "@/ui/learnedFrom";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { askedBy, runStanding } from "@/ui/trainingWords";
import { PromoteDialog } from "./PromoteDialog";
import classes from "./prms.module.css";
import { PRM_STATUSES } from "./prmWords";
import { usePrms, usePromote, usePromotions, useTrainingRuns } from "./queries";

/** The project's PRMs: which one selects, which there are, and the trainings that made them. */
export function PrmsPage() {
  const { slug = "" } = useParams();
  const prms = usePrms(slug);
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  return (
    <>
      <PageHeading
        title="PRMs"
        actions={
          <>
            <StartLink to={`/projects/${slug}/prms/scores`}>Scores made elsewhere</StartLink>
            {admin && <StartLink to={`/projects/${slug}/prms/connect`}>Connect a PRM</StartLink>}
            <StartLink kind="primary" to={`/projects/${slug}/prms/train`}>
              Train a PRM
            </StartLink>
          </>
        }
      />
      {prms.isPending && <SkeletonLines lines={6} />}
      {prms.isError && !prms.data && <ErrorState inline error={prms.error} retry={() => void prms.refetch()} />}
      {prms.data && (
        <>
          <Selector slug={slug} prms={prms.data} />
          <Models slug={slug} prms={prms.data} />
        </>
      )}
      <Runs slug={slug} />
    </>
  );
}

function Selector({ slug, prms }: { slug: string; prms: Prm[] }) {
  const promotions = usePromotions(slug);
  const promote = usePromote(slug);
  const [asking, setAsking] = useState<Promotion | null>(null); // the one shown, whatever arrives meanwhile
  const selector = prms.find((prm) => prm.selector);
  const newest = promotions.rows?.[0];
  return (
    <Panel
      title="The selector"
      note="Scores the traces of the next round, and so decides what labelers see. Only a person can change it. Existing rounds keep their PRM."
      actions={
        newest && (
          <WhileActive>
            <Button onClick={() => setAsking(newest)}>Roll back</Button>
          </WhileActive>
        )
      }
    >
      <p className={classes.selector}>
        <strong>{selector?.name ?? newest?.prm?.name ?? "None yet"}</strong>
        {newest ? (
          <span>
            since <RelativeTime at={newest.at} />, by {newest.by.display_name}
            {newest.before && `, instead of ${newest.before.name}`}
          </span>
        ) : (
          <span>
            Train or connect a PRM, evaluate it, and promote it if it is better. Until then, each round names its own
            PRM.
          </span>
        )}
      </p>
      <BaselineMark notBeaten={selector?.baseline_not_beaten ?? []} />
      {(promotions.rows?.length ?? 0) > 1 && (
        <Disclosure title="Every change">
          <ul className={classes.history}>
            {promotions.rows?.map((one) => (
              <Change key={one.id} promotion={one} />
            ))}
          </ul>
        </Disclosure>
      )}
      <ConfirmDialog
        opened={asking !== null}
        title="Roll back the selector?"
        confirm="Roll back"
        onConfirm={async () => asking && promote.mutateAsync({ undoes: asking.id })}
        onClose={() => setAsking(null)}
      >
        {asking?.before
          ? `${asking.before.name} selects again, starting with the next round.`
          : "No PRM will select any more: the next round names its own."}{" "}
        Existing rounds keep their PRM. You can roll this back too.
      </ConfirmDialog>
    </Panel>
  );
}

function Change({ promotion }: { promotion: Promotion }) {
  return (
    <li>
      <strong>{promotion.prm?.name ?? "none"}</strong>
      <span>
        {promotion.by.display_name}, <RelativeTime at={promotion.at} />
        {promotion.note && ` · ${promotion.note}`}
      </span>
    </li>
  );
}

function Models({ slug, prms }: { slug: string; prms: Prm[] }) {
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  const [chosen, setChosen] = useState<Prm | null>(null);
  const [opened, setOpened] = useState(false);
  const columns: TableColumn<Prm>[] = [
    {
      name: "PRM",
      main: true,
      cell: (prm) => (
        <>
          <RowLink to={prm.run ? `runs/${prm.run}` : String(prm.id)}>{prm.name}</RowLink>{" "}
          <BaselineMark notBeaten={prm.baseline_not_beaten} />
          <small className={classes.note}>
            {[
              prm.kind === "imported" && "scores made elsewhere",
              prm.target === "outcome" && "judges outcomes (ORM)",
              originWords(prm),
              prm.base && `base ${prm.base}`,
              prm.site_wide && "for all projects",
            ]
              .filter(Boolean)
              .join(" · ")}
          </small>
          {prm.error && <small className={classes.fault}>{prm.error}</small>}
        </>
      ),
    },
    {
      name: "State",
      cell: (prm) => <StatusMark tone={PRM_STATUSES[prm.status].tone}>{PRM_STATUSES[prm.status].name}</StatusMark>,
    },
    { name: "Traces scored", align: "right", cell: (prm) => formatCount(prm.scored) },
    {
      name: "Selects",
      cell: (prm) =>
        prm.selector ? (
          <StatusMark tone="good">selector</StatusMark>
        ) : prm.kind === "imported" ? (
          <span className={classes.quiet}>by round</span>
        ) : (
          <WhileActive>
            <Button
              disabled={prm.status !== "ready"}
              aria-label={`Promote ${prm.name}`}
              onClick={() => {
                setChosen(prm);
                setOpened(true);
              }}
            >
              Promote
            </Button>
          </WhileActive>
        ),
    },
  ];
  return (
    <Panel bare title="Models">
      {prms.length === 0 ? (
        <EmptyState
          inline
          title="There is no PRM yet"
          actions={admin && <StartLink to={`/projects/${slug}/prms/connect`}>Connect a PRM</StartLink>}
        >
          <p>
            Train one on the labels of a round, or {admin ? "connect" : "ask an admin of the project to connect"} one
            from elsewhere: Qwen2.5-Math-PRM, Math-Shepherd, Skywork, a chat model as judge, and others.
          </p>
        </EmptyState>
      ) : (
        <DataTable caption="PRMs, newest first" columns={columns} rows={prms} rowKey={(prm) => prm.id} />
      )}
      <PromoteDialog slug={slug} prm={chosen} opened={opened} onClose={() => setOpened(false)} />
    </Panel>
  );
}

const runColumns: TableColumn<TrainingRunSummary>[] = [
  {
    name: "Training",
    main: true,
    cell: (run) => (
      <>
        <RowLink to={`runs/${run.id}`}>{run.name || `Training ${run.id}`}</RowLink>
        <small className={classes.note}>{runStanding(run)}</small>
      </>
    ),
  },
  { name: "State", cell: (run) => <JobMark status={run.status} /> },
  { name: "Labels", align: "right", cell: (run) => (run.labels ? formatCount(run.labels) : "–") },
  {
    name: "AUC",
    align: "right",
    cell: (run) => run.figures.find((figure) => figure.name === "auc")?.value?.toFixed(3) ?? "–",
  },
  { name: "By", cell: (run) => askedBy(run) },
  { name: "When", cell: (run) => <RelativeTime at={run.created_at} /> },
];

function Runs({ slug }: { slug: string }) {
  return (
    <Panel bare title="Trainings">
      <PagedTable
        caption="Training runs, newest first"
        list={useTrainingRuns(slug)}
        columns={runColumns}
        rowKey={(run) => run.id}
        one="training"
        empty={<p className={classes.quiet}>None yet. A training learns from the labels of the rounds you choose.</p>}
      />
    </Panel>
  );
}
