import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { api } from "@/api/client";
import type { LabelerPage as Labeler } from "@/api/deskTypes";
import { ButtonLink } from "@/ui/Button";
import { RuledShares } from "@/ui/charts/RuledShares";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { formatDay } from "@/ui/forecastWords";
import { countOf, formatCount, formatDateTime, formatPercent } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { PageHeading } from "@/ui/PageShell";
import { Figure, Figures, Panel } from "@/ui/Panel";
import { StatusMark } from "@/ui/StatusMark";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { stepName } from "@/ui/trace/words";
import { GoldSoFar, PaceByDay } from "./LabelerCharts";
import { LabelerPeers } from "./LabelerPeers";
import classes from "./labelers.module.css";
import { activeOf, dayFilter, paceNote, payWords, ruledRows, seconds, standing, workMs } from "./labelerWords";

/** One labeler: how good and how fast they are, with whom they agree and where not, what they wrote, what it took. */
export function LabelerPage() {
  const { slug = "", labelerId = "" } = useParams();
  const labeler = useQuery({
    queryKey: ["labelers", slug, labelerId],
    queryFn: ({ signal }) => api.get<Labeler>(`/api/projects/${slug}/labelers/${labelerId}`, { signal }),
  });
  const page = labeler.data;
  return (
    <>
      <PageHeading
        title={page?.labeler.display_name ?? "Labeler"}
        actions={
          <ButtonLink to={`/projects/${slug}/labels?labeler=${labelerId}`}>
            {page ? `All ${countOf(page.labels, "label")}` : "All labels"}
          </ButtonLink>
        }
      />
      {labeler.isPending && <SkeletonLines lines={12} />}
      {labeler.isError && <ErrorState inline error={labeler.error} retry={() => void labeler.refetch()} />}
      {page && <Shown slug={slug} page={page} />}
    </>
  );
}

function Shown({ slug, page }: { slug: string; page: Labeler }) {
  const { labeler, pace, paid } = page;
  return (
    <>
      <p className={classes.standing}>
        {standing(page)} <State page={page} />
      </p>
      <Panel>
        <Figures>
          <Figure name="Labels" value={formatCount(page.labels)} note={lastDay(page)} />
          <Figure name="Time per step" value={seconds(pace.seconds_a_step)} note={paceNote(pace)} />
          <Figure
            name="Active time"
            value={activeOf({ active_ms: workMs(page), labels: page.labels })}
            note={payWords(paid)}
          />
          <Figure
            name="Confirmed by rulings"
            value={page.reviewed.value === null ? "n/a" : formatPercent(page.reviewed.value, 1)}
            note={
              page.reviewed.n === 0
                ? "none of their traces has a ruling"
                : `of ${countOf(page.reviewed.n, "ruled trace")}`
            }
          />
        </Figures>
      </Panel>
      <Panel title="How good is the work?" note="Bars are 95 % intervals. The upright tick is the project’s rule.">
        <RuledShares rows={ruledRows(slug, page)} />
        <HastyDays slug={slug} page={page} />
      </Panel>
      {labeler.kind === "person" && (
        <div className={classes.charts}>
          <GoldSoFar slug={slug} gold={page.gold} />
          <PaceByDay pace={pace} floorMs={page.floor_ms} />
        </div>
      )}
      <LabelerPeers slug={slug} page={page} />
      <Comments slug={slug} comments={page.comments} />
      {page.rounds.length > 0 && (
        <Panel bare title="Round by round" note="Ordinary work only, without gold.">
          <DataTable
            aligned
            caption="Round by round"
            columns={columns}
            rows={page.rounds}
            rowKey={(row) => row.number}
          />
        </Panel>
      )}
    </>
  );
}

function State({ page }: { page: Labeler }) {
  if (page.labeler.kind === "imported") return <StatusMark tone="quiet">imported</StatusMark>;
  if (page.paused_at) return <StatusMark tone="held">paused</StatusMark>;
  return page.is_active ? null : <StatusMark tone="quiet">deactivated</StatusMark>;
}

function lastDay({ pace }: Labeler): string {
  const [first, last] = [pace.days[0], pace.days.at(-1)];
  if (!first || !last) return "none yet";
  return first.day === last.day ? `on ${formatDay(first.day)}` : `${formatDay(first.day)} to ${formatDay(last.day)}`;
}

/** The days with hasty labels, each a link to them. */
function HastyDays({ slug, page }: { slug: string; page: Labeler }) {
  const days = page.pace.days.filter((day) => day.hasty > 0).slice(-MOST_DAYS);
  if (days.length === 0) return null;
  return (
    <p className={classes.quiet}>
      Under {(page.floor_ms / 1000).toFixed(1)} s per step:{" "}
      {days.map((day, place) => (
        <span key={day.day}>
          {place > 0 && ", "}
          <Link to={`/projects/${slug}/${dayFilter(page.labeler.id, day.day)}`}>
            {formatCount(day.hasty)} of {formatCount(day.judged)} on {formatDay(day.day)}
          </Link>
        </span>
      ))}
      . There may be a good reason, so ask first.
    </p>
  );
}

const MOST_DAYS = 6;

function Comments({ slug, comments }: { slug: string; comments: Labeler["comments"] }) {
  const { count, latest } = comments;
  return (
    <Panel
      title="What they wrote"
      note={
        count === 0
          ? "No comments on steps yet."
          : `${countOf(count, "comment")}${count > latest.length ? `, the latest ${latest.length}` : ""}`
      }
    >
      <ul className={classes.comments}>
        {latest.map((one) => (
          <li key={`${one.trace_id}-${one.step}-${one.at}`}>
            <div className={classes.said}>
              <MathText text={one.text} />
            </div>
            <Link to={`/projects/${slug}/traces/${one.trace_id}?step=${one.step + 1}`}>
              Trace {one.trace_id}, {stepName(one.step)}
            </Link>{" "}
            <small>
              round {one.round}, {formatDateTime(one.at)}
            </small>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const columns: TableColumn<Labeler["rounds"][number]>[] = [
  { name: "Round", main: true, cell: (row) => `${row.number} ${row.name}`.trim() },
  { name: "Labels", align: "right", cell: (row) => formatCount(row.labels) },
  { name: "Steps", align: "right", cell: (row) => formatCount(row.steps) },
  { name: "Active time", align: "right", cell: activeOf },
  { name: "Time per step", align: "right", cell: (row) => seconds(row.seconds_a_step) },
  {
    name: "Gave up",
    align: "right",
    cell: ({ give_up }) => `${formatCount(Math.round((give_up.value ?? 0) * give_up.n))} of ${formatCount(give_up.n)}`,
  },
];
