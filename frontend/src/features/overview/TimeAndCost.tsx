import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Estimate, TimeReport } from "@/api/deskTypes";
import { DownloadLink } from "@/ui/Button";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { intervalPart } from "@/ui/charts/estimateWords";
import { type ValueRow, ValueRows, valueWords } from "@/ui/charts/ValueRows";
import { countOf, formatDuration } from "@/ui/format";
import { formatMoney } from "@/ui/money";
import { Figure, Figures, Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { NONE_TIMED, timedWordsOf } from "@/ui/timedWords";
import classes from "./overview.module.css";

const MINUTE_MS = 60_000;
const minutes = (value: number) => formatDuration(value * MINUTE_MS);

/** What attention costs, in time and in money, and how much of it problem sessions save. */
export function TimeAndCost({ slug }: { slug: string }) {
  const report = useQuery({
    queryKey: ["time", slug],
    queryFn: ({ signal }) => api.get<TimeReport>(`/api/projects/${slug}/time`, { signal }),
    staleTime: 60_000,
  });
  return (
    <Panel
      title="Time and cost"
      note="All active time on ordinary work, divided by the traces with a label that counts. It includes the time of revisions, extra labels and labels left out. Ranges are 95 % intervals."
      actions={<DownloadLink href={`/api/projects/${slug}/time.csv`}>Download as CSV</DownloadLink>}
    >
      {report.isPending && <SkeletonLines lines={3} />}
      {report.isError && <ErrorState inline error={report.error} retry={() => void report.refetch()} />}
      {report.data && <Body report={report.data} />}
    </Panel>
  );
}

function Body({ report: { time, sessions } }: { report: TimeReport }) {
  const { money } = time;
  const none = timedWordsOf(time) === NONE_TIMED ? NONE_TIMED : "nothing to count yet";
  const untimed = timedWordsOf(time);
  const amount = (value: number | null | undefined) =>
    money && value !== null && value !== undefined ? formatMoney(value, money.currency) : null;
  return (
    <>
      <Figures>
        <Figure
          name="Active time"
          value={untimed === NONE_TIMED ? "n/a" : minutes(time.minutes)}
          note={amount(money?.total) ?? "to see its cost, set an hourly rate in Settings"}
        />
        <Per name="Per trace" estimate={time.per_trace} cost={amount(money?.per_trace)} none={none} />
        <Per name="Per rated step" estimate={time.per_step} cost={amount(money?.per_step)} none={none} />
        <Per name="Per confirmed error" estimate={time.per_error} cost={amount(money?.per_error)} none={none} />
      </Figures>
      {untimed && untimed !== NONE_TIMED && <p className={classes.quiet}>The rates are {untimed}.</p>}
      <Sessions sessions={sessions} />
    </>
  );
}

interface PerProps {
  name: string;
  estimate: Estimate;
  cost: string | null;
  /** Why there is no figure. */
  none: string;
}

function Per({ name, estimate, cost, none }: PerProps) {
  const interval = intervalPart(estimate, minutes);
  return (
    <Figure
      name={name}
      value={estimate.value === null ? "n/a" : minutes(estimate.value)}
      note={[cost, interval].filter(Boolean).join(" · ") || (estimate.value === null ? none : "")}
    />
  );
}

function Sessions({ sessions }: { sessions: TimeReport["sessions"] }) {
  const rows: ValueRow[] = [
    { key: "in", name: "Previous trace was of the same problem", ...sessions.in_session, tone: "focus" },
    {
      key: "out",
      name: "Previous trace was of another problem, or there was none",
      ...sessions.shuffled,
      tone: "zero",
    },
  ];
  const { ratio } = sessions;
  return (
    <div className={classes.sessions}>
      <ChartFigure
        title="Several traces of a problem in a row"
        note={ratio.value === null ? undefined : ratioWords(ratio)}
        table={{
          head: ["Order", "Active time per trace", "Labels"],
          rows: rows.map((row, place) => [
            row.name,
            valueWords(row, minutes),
            [sessions.in_session, sessions.shuffled][place]?.n ?? 0,
          ]),
        }}
        empty={sessions.in_session.n === 0 ? "No two traces of one problem have been labeled in a row yet." : undefined}
      >
        <ValueRows rows={rows} format={minutes} />
      </ChartFigure>
    </div>
  );
}

/** Say only what the interval supports. */
function ratioWords({ value, low, high, n }: Estimate): string {
  if (value === null) return "";
  const of = `over ${countOf(n, "label")}`;
  if (low !== null && high !== null && (high < 1 || low > 1)) {
    const [word, share] = value < 1 ? ["less", 1 - value] : ["more", value - 1];
    return `${Math.round(share * 100)} % ${word} time per trace, ${of}`;
  }
  return `No clear difference, ${of}`;
}
