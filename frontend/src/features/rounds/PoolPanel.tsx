import type { ReactNode } from "react";
import type { PoolCount } from "@/api/roundTypes";
import { ShareBar } from "@/ui/charts/ShareBar";
import { countOf, formatCount } from "@/ui/format";
import { ErrorState, Skeleton } from "@/ui/states";
import classes from "./PoolPanel.module.css";
import { armWords } from "./selectionWords";

interface PoolPanelProps {
  pool: { data: PoolCount | undefined; error: unknown; isFetching: boolean; refetch: () => unknown };
  /** What keeps the form from being counted. The numbers then belong to an older state of it. */
  missing: string | null;
  /** The form has just changed and has not been counted yet. */
  waiting: boolean;
  /** There is no PRM, so chance chooses. */
  random: boolean;
  /** What labeling the chosen traces would take. */
  children?: ReactNode;
}

/** What the round would draw from and choose with the current form. Older numbers stay until newer ones arrive. */
export function PoolPanel({ pool, missing, waiting, random, children }: PoolPanelProps) {
  const { data } = pool;
  const counting = missing === null && (waiting || pool.isFetching);
  return (
    <section className={classes.panel} aria-label="What the round would choose" aria-busy={counting}>
      <header className={classes.head}>
        <h2>It would choose</h2>
        <span role="status">{state(missing, counting, data !== undefined)}</span>
      </header>
      {pool.error && !data ? (
        <ErrorState inline error={pool.error} retry={() => void pool.refetch()} />
      ) : (
        <div>
          <Expected data={data} random={random} />
          {children}
          {data && <Warnings data={data} />}
          <h3>The pool it draws from</h3>
          <PoolNumbers data={data} />
        </div>
      )}
    </section>
  );
}

function state(missing: string | null, counting: boolean, known: boolean): string {
  if (missing !== null) return known ? "These numbers are out of date." : "Nothing has been counted yet.";
  return counting ? "counting…" : "up to date";
}

function Expected({ data, random }: { data: PoolCount | undefined; random: boolean }) {
  const expected = data?.expected;
  return (
    <>
      <p className={classes.total}>
        {expected ? formatCount(expected.selected) : <Skeleton width={90} />}
        <small>{data && selectedWords(data)}</small>
      </p>
      <dl className={classes.parts}>
        {Object.entries(expected?.mixed ?? {}).map(([way, count]) => (
          <Part key={way} name={armWords(way).name.toLowerCase()} value={count} />
        ))}
        {random ? (
          <Part name="drawn at random" value={expected && expected.selected - sumOf(expected.mixed)} />
        ) : (
          <>
            <Part name="convincing wrong answers" value={expected?.wrong} />
            <Part name="most convincing of the rest" value={expected?.rest} />
            <Part name="random control" value={expected?.control} />
          </>
        )}
        {expected !== undefined && expected.shortfall > 0 && (
          <Part name="short of the quota" value={expected.shortfall} />
        )}
      </dl>
    </>
  );
}

function sumOf(numbers: Record<string, number>): number {
  return Object.values(numbers).reduce((all, number) => all + number, 0);
}

function selectedWords({ expected, approximate }: PoolCount): string {
  return `${expected.selected === 1 ? "trace" : "traces"} for labelers${approximate ? ", about" : ""}`;
}

function Part({ name, value }: { name: string; value: number | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value === undefined ? <Skeleton width={36} /> : formatCount(value)}</dd>
    </div>
  );
}

function Warnings({ data }: { data: PoolCount }) {
  if (data.warnings.length === 0) return null;
  return (
    <ul className={classes.warnings}>
      {data.warnings.map((warning) => (
        <li key={warning.code}>{warning.text}</li>
      ))}
    </ul>
  );
}

/** The PRM also scores labeled and queued traces: labelers may ask for scores, and audits compare labels with them. */
function toScoreWords({ unscored, queued }: PoolCount): string {
  return unscored > 0 && queued > 0 ? "still to score, including labeled and queued traces" : "still to score";
}

function PoolNumbers({ data }: { data: PoolCount | undefined }) {
  if (!data) return <Skeleton height={90} />;
  return (
    <>
      <p className={classes.pool}>
        {countOf(data.traces, "trace")} of {countOf(data.problems, "problem")}
      </p>
      {data.traces > 0 && (
        <ShareBar
          shares={[
            { name: "wrong answer", count: data.wrong, tone: "minus" },
            { name: "right answer", count: data.correct, tone: "plus" },
            { name: "not graded", count: data.ungraded, tone: "zero" },
          ]}
        />
      )}
      <dl className={classes.parts}>
        <Part name="already scored by this model" value={data.scored} />
        <Part name={toScoreWords(data)} value={data.unscored} />
        <Part name="left out: already labeled or queued" value={data.queued} />
        {data.samples > 0 && <Part name="to be written by the generator" value={data.samples} />}
      </dl>
    </>
  );
}
