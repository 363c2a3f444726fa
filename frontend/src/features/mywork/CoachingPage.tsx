import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { api } from "@/api/client";
import type { Coaching, Confusion, OwnRound } from "@/api/deskTypes";
import { ButtonLink } from "@/ui/Button";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { ColumnChart } from "@/ui/charts/ColumnChart";
import { type ValueRow, ValueRows } from "@/ui/charts/ValueRows";
import { countOf, formatCount, formatDuration, formatPercent } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { PageHeading } from "@/ui/PageShell";
import { Figure, Figures, Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import classes from "./mywork.module.css";

/** A labeler's own work, round by round. It shows nobody else's figures, and nobody else sees it like this. */
export function CoachingPage() {
  const { slug = "" } = useParams();
  const coaching = useQuery({
    queryKey: ["my-coaching", slug],
    queryFn: ({ signal }) => api.get<Coaching>(`/api/projects/${slug}/my_coaching`, { signal }),
  });
  const rounds = coaching.data?.rounds;
  return (
    <>
      <PageHeading title="How I am doing" />
      {coaching.isPending && <SkeletonLines lines={8} />}
      {coaching.isError && <ErrorState inline error={coaching.error} retry={() => void coaching.refetch()} />}
      {rounds?.length === 0 && (
        <EmptyState
          inline
          title="Nothing to show yet"
          actions={
            <ButtonLink kind="primary" to={`/projects/${slug}/label`}>
              Label
            </ButtonLink>
          }
        >
          <p>
            After your first labels, this page shows how much you labeled, how fast, and how often you gave up, round by
            round.
          </p>
        </EmptyState>
      )}
      {coaching.data && coaching.data.rounds.length > 0 && (
        <Differing slug={slug} differences={coaching.data.differences} />
      )}
      {rounds && rounds.length > 0 && <Rounds rounds={rounds} />}
      {coaching.data && coaching.data.gold.rounds.length > 0 && <Gold slug={slug} gold={coaching.data.gold} />}
    </>
  );
}

/** A chart over rounds needs at least two rounds. */
function notYet(soFar: string | undefined): string {
  return soFar ? `n/a: only one round so far, with ${soFar}.` : "n/a: no steps rated yet.";
}

/** Where your labels differ from what was settled, and in which direction. */
function Differing({ slug, differences }: { slug: string; differences: Coaching["differences"] }) {
  const { compared, differed, latest } = differences;
  const late = latest.filter(
    ({ verdict, settled }) => isError(verdict) && isError(settled) && verdict > settled,
  ).length;
  const early = latest.filter(
    ({ verdict, settled }) => isError(verdict) && isError(settled) && verdict < settled,
  ).length;
  return (
    <Panel title="What differed" note={compared > 0 ? directionWords(late, early) : undefined}>
      {compared === 0 ? (
        <p>
          n/a: your labels can be compared once their traces are settled and, if a round has gold, the round is closed.
        </p>
      ) : (
        <p>
          You and what was settled differed on <b>{formatCount(differed)}</b> of {countOf(compared, "trace")}.
        </p>
      )}
      <ul className={classes.differing}>
        {latest.map((one) => (
          <li key={one.label_id}>
            <Link to={`/projects/${slug}/my-work/${one.label_id}/compare`}>
              <ProblemExcerpt text={one.problem} />
            </Link>
            <span>
              you: {voteWords(one.verdict)}; {one.ruled ? "the reviewer" : "settled"}: {voteWords(one.settled)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const isError = (verdict: number | null): verdict is number => verdict !== null && verdict >= 0;
const voteWords = (verdict: number | null) => (verdict === null ? "a bad problem" : verdictWords(verdict));

function directionWords(late: number, early: number): string | undefined {
  const parts = [late > 0 && `${late} found too late`, early > 0 && `${early} called too early`].filter(Boolean);
  return parts.length > 0 ? `Of the latest: ${parts.join(", ")}.` : undefined;
}

const seconds = (value: number) => `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} s`;
const nameOf = (round: OwnRound) => round.name || `Round ${round.number}`;

function Rounds({ rounds }: { rounds: OwnRound[] }) {
  const labels = rounds.reduce((sum, round) => sum + round.labels, 0);
  const activeMs = rounds.reduce((sum, round) => sum + round.active_ms, 0);
  const gaveUp = rounds.reduce((sum, round) => sum + Math.round((round.give_up.value ?? 0) * round.give_up.n), 0);
  const speed = rounds.filter((round) => round.seconds_a_step !== null);
  const share: ValueRow[] = rounds.map((round) => ({
    key: round.number,
    name: nameOf(round),
    ...round.give_up,
    tone: "zero",
    words: `${formatPercent(round.give_up.value ?? 0, 1)} of ${countOf(round.give_up.n, "label")}`,
  }));
  return (
    <>
      <Panel>
        <Figures>
          <Figure name="Labels" value={formatCount(labels)} note={`in ${countOf(rounds.length, "round")}`} />
          <Figure name="Active time" value={formatDuration(activeMs)} />
          <Figure name="Given up" value={formatCount(gaveUp)} note={formatPercent(gaveUp, labels)} />
        </Figures>
      </Panel>
      <div className={classes.coaching}>
        <ChartFigure
          title="Active time per step"
          note="median, round by round"
          table={{
            head: ["Round", "Seconds per step"],
            rows: speed.map((round) => [nameOf(round), seconds(round.seconds_a_step ?? 0)]),
          }}
          empty={speed.length < 2 ? notYet(speed[0] && `${seconds(speed[0].seconds_a_step ?? 0)} a step`) : undefined}
        >
          <ColumnChart
            columns={speed.map((round) => ({
              key: String(round.number),
              label: String(round.number),
              name: nameOf(round),
              value: round.seconds_a_step ?? 0,
              shown: seconds(round.seconds_a_step ?? 0),
            }))}
            tone="focus"
            formatTick={(value) => `${value} s`}
            summary="Your active time per step by round; the numbers are in the table below."
          />
        </ChartFigure>
        <ChartFigure
          title="Given up"
          note="of your labels, round by round"
          table={{ head: ["Round", "Share"], rows: share.map((row) => [row.name, row.words ?? ""]) }}
          empty={share.length < 2 ? notYet(share[0]?.words) : undefined}
        >
          <ValueRows rows={share} format={(value) => `${Math.round(value * 100)} %`} top={1} />
        </ChartFigure>
      </div>
    </>
  );
}

const KINDS: Record<Confusion["kind"], string> = {
  missed_error: "An error was missed",
  false_alarm: "A right solution was called wrong",
  wrong_place: "The error is at another step",
  no_verdict: "No verdict was given",
};

/** Agreement with gold, of closed rounds only, and what there is to learn from it, the costliest first. */
function Gold({ slug, gold }: { slug: string; gold: Coaching["gold"] }) {
  const rows: ValueRow[] = gold.rounds.map((round) => ({
    key: round.number,
    name: `Round ${round.number}`,
    ...round.gold,
    tone: "plus",
    words: goldWords(round.gold),
  }));
  return (
    <>
      <div className={classes.coaching}>
        <ChartFigure
          title="Agreement with gold"
          note="of closed rounds; 95 % intervals"
          table={{ head: ["Round", "Passed"], rows: rows.map((row) => [row.name, row.words ?? ""]) }}
          empty={rows.length < 2 ? notYet(rows[0]?.words) : undefined}
        >
          <ValueRows rows={rows} format={(value) => `${Math.round(value * 100)} %`} top={1} />
        </ChartFigure>
      </div>
      {gold.confusions.length > 0 && (
        <Panel bare title="What to learn from" note="Gold tasks that you did not pass, the most costly kind first.">
          <div className={classes.confusions}>
            {gold.confusions.map((one, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes while it is shown
              <ConfusionCard key={place} slug={slug} confusion={one} />
            ))}
          </div>
        </Panel>
      )}
    </>
  );
}

function goldWords({
  value,
  low,
  high,
  n,
}: {
  value: number | null;
  low: number | null;
  high: number | null;
  n: number;
}) {
  if (value === null) return "n/a";
  const interval =
    low === null || high === null ? "" : `, 95 %: ${Math.round(low * 100)} to ${Math.round(high * 100)} %`;
  return `${Math.round(value * 100)} % of ${countOf(n, "gold task")}${interval}`;
}

const verdictWords = (verdict: number | null) =>
  verdict === null ? "no verdict" : verdict < 0 ? "no error" : `step ${verdict + 1}`;

function ConfusionCard({ slug, confusion }: { slug: string; confusion: Confusion }) {
  const accepted = confusion.acceptable.map(verdictWords).join(" or ");
  const shown = confusion.acceptable.find((step) => step >= 0) ?? confusion.verdict ?? -1;
  return (
    <section className={classes.confusion}>
      <h3>{KINDS[confusion.kind]}</h3>
      <div className="read">
        <MathText text={confusion.problem} />
      </div>
      <p>
        You said: <b>{verdictWords(confusion.verdict)}</b>. Accepted: <b>{accepted}</b>. Round {confusion.round}.{" "}
        <Link to={`/projects/${slug}/my-work/${confusion.label_id}`}>Your label</Link>
      </p>
      {shown >= 0 && (
        <blockquote>
          <small>Step {shown + 1}</small>
          <div className="read">
            <MathText text={confusion.steps[shown] ?? ""} />
          </div>
        </blockquote>
      )}
      {confusion.explanation && (
        <div className="read">
          <MathText text={confusion.explanation} />
        </div>
      )}
      {confusion.paragraph && (
        <div className={classes.paragraph}>
          <small>From the guidelines</small>
          {confusion.paragraph}
        </div>
      )}
    </section>
  );
}
