import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { api } from "@/api/client";
import type { Leaderboard, ModelEvent, ModelHistory } from "@/api/trainingTypes";
import { StartLink } from "@/ui/ActiveProject";
import { ButtonLink } from "@/ui/Button";
import { BASELINE_NOT_BEATEN } from "@/ui/baselineWords";
import { NewestCurve } from "@/ui/charts/LearningCurve";
import { NarrowFigure } from "@/ui/charts/NarrowFigure";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { FIGURES } from "@/ui/figureWords";
import { countOf, formatCount, formatDateTime } from "@/ui/format";
import { RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { StatusMark, type StatusTone } from "@/ui/StatusMark";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./models.module.css";
import { eventPath, eventWords, modelsHeadline, rowWarnings } from "./modelWords";
import { estimateWords } from "./prmWords";

/** The project's models on one timeline, and how each was measured on each evaluation set. */
export function ModelsPage() {
  const { slug = "" } = useParams();
  const history = useQuery({
    queryKey: ["modelHistory", slug],
    queryFn: ({ signal }) => api.get<ModelHistory>(`/api/projects/${slug}/model_history`, { signal }),
    refetchInterval: ({ state }) => (state.data?.events.some(({ status }) => status === "running") ? 3_000 : 30_000),
  });
  return (
    <>
      <PageHeading
        title="Models"
        actions={
          <StartLink kind="primary" to={`/projects/${slug}/prms/train`}>
            Train a PRM
          </StartLink>
        }
      />
      {history.isPending && <SkeletonLines lines={10} />}
      {history.isError && !history.data && (
        <ErrorState inline error={history.error} retry={() => void history.refetch()} />
      )}
      {history.data && <History slug={slug} history={history.data} />}
    </>
  );
}

function History({ slug, history }: { slug: string; history: ModelHistory }) {
  if (history.events.length === 0) {
    return (
      <EmptyState inline title="No model yet" actions={<ButtonLink to={`/projects/${slug}/prms`}>PRMs</ButtonLink>}>
        <p>
          Whenever a model is connected, trained, evaluated or promoted, it appears here with the date and who did it.
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <p className={classes.headline}>{modelsHeadline(history)}</p>
      {history.leaderboards.map((board) => (
        <Board key={board.set.id} slug={slug} board={board} />
      ))}
      {history.leaderboards.length === 0 && (
        <Panel title="Leaderboard" note="n/a: no evaluation has finished.">
          <ButtonLink to={`/projects/${slug}/evaluations`}>Evaluate a PRM</ButtonLink>
        </Panel>
      )}
      {history.learning && (
        <div className={classes.curve}>
          <NewestCurve slug={slug} learning={history.learning} />
        </div>
      )}
      <Panel title="Timeline" note="Newest first, up to a hundred of each kind.">
        <ol className={classes.line}>
          {history.events.map((event) => (
            <Happened key={`${event.kind}-${event.id}`} slug={slug} event={event} />
          ))}
        </ol>
      </Panel>
    </>
  );
}

/** The newest evaluation of each model on a set. All but the first link to a paired comparison with the first. */
function Board({ slug, board }: { slug: string; board: Leaderboard }) {
  const { set, rows } = board;
  const first = rows.find((row) => row.current);
  const names = [...new Set(rows.flatMap((row) => row.figures.map((figure) => figure.name)))];
  const columns: TableColumn<Leaderboard["rows"][number]>[] = [
    {
      name: "Model",
      main: true,
      cell: (row) => (
        <>
          <RowLink to={`/projects/${slug}/evaluations/${row.evaluation}`}>{row.prm.name}</RowLink>{" "}
          {row.selector && <StatusMark tone="good">selector</StatusMark>}{" "}
          {row.beats_baseline === false && <StatusMark tone="held">{BASELINE_NOT_BEATEN}</StatusMark>}
          <small className={classes.note}>
            {[row.labels === null ? "not trained here" : countOf(row.labels, "label"), ...rowWarnings(row)].join(" · ")}
          </small>
        </>
      ),
    },
    ...names.map(
      (name): TableColumn<Leaderboard["rows"][number]> => ({
        name: FIGURES[name]?.name ?? name,
        width: "132px",
        align: "right",
        cell: (row) => (
          <NarrowFigure words={estimateWords(row.figures.find((figure) => figure.name === name) ?? null)} />
        ),
      }),
    ),
    {
      name: "Compare",
      quiet: true,
      width: "112px",
      cell: (row) =>
        first && row !== first && row.current ? (
          <ButtonLink to={`/projects/${slug}/evaluations/compare?left=${row.evaluation}&right=${first.evaluation}`}>
            Compare
          </ButtonLink>
        ) : null,
    },
  ];
  return (
    <Panel
      bare
      title={`On ${set.name}`}
      note={`${countOf(set.traces, "trace")} of ${countOf(set.problems, "problem")}, ${formatCount(set.erroneous)} with an error. Overlapping 95 % intervals do not rank models: compare two to see their paired difference.`}
    >
      <DataTable
        aligned
        caption={`Models measured on ${set.name}`}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.evaluation}
      />
    </Panel>
  );
}

const KINDS: Record<ModelEvent["kind"], { name: string; tone: StatusTone }> = {
  made: { name: "made", tone: "quiet" },
  trained: { name: "trained", tone: "busy" },
  evaluated: { name: "measured", tone: "held" },
  promoted: { name: "promoted", tone: "good" },
};

function Happened({ slug, event }: { slug: string; event: ModelEvent }) {
  const { kind, prm, by, at, note, status } = event;
  const to = eventPath(event);
  const name = prm?.name ?? (note || (kind === "promoted" ? "No PRM" : `Training ${event.id}`));
  return (
    <li data-kind={kind}>
      <StatusMark tone={status === "failed" ? "bad" : KINDS[kind].tone}>{KINDS[kind].name}</StatusMark>
      <p>
        {to ? <Link to={`/projects/${slug}/${to}`}>{name}</Link> : <strong>{name}</strong>} {eventWords(event)}
        {kind === "promoted" && note && `: ${note}`}{" "}
        {event.beats_baseline === false && <StatusMark tone="held">{BASELINE_NOT_BEATEN}</StatusMark>}
      </p>
      <small>
        {formatDateTime(at)}
        {by && `, ${by.display_name}`}
      </small>
    </li>
  );
}
