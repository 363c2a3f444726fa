import type { Round } from "@/api/projectTypes";
import type { RoundReport } from "@/api/roundTypes";
import { ButtonLink, DownloadLink } from "@/ui/Button";
import { BarList } from "@/ui/charts/BarList";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { ColumnChart } from "@/ui/charts/ColumnChart";
import { IntervalRows, intervalWords } from "@/ui/charts/IntervalRows";
import { type Share, ShareBar } from "@/ui/charts/ShareBar";
import { fillDays } from "@/ui/charts/scale";
import { ExplainedNumbers } from "@/ui/Explained";
import { countOf, formatCount, formatDate, formatPercent } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { FINISH_WORDS } from "@/ui/trace/words";
import { HastyNotice } from "./HastyNotice";
import { armsInOrder, knownMeasures, pathMeasures, verdict, yieldRows } from "./reportWords";
import classes from "./SelectionPreview.module.css";
import { armWords, dropName } from "./selectionWords";
import { useRoundReport } from "./stagedQueries";

/** What a round was worth, or is worth so far. */
export function RoundReportView({ slug, round }: { slug: string; round: Round }) {
  const closed = round.status === "closed";
  const paths = round.config.source === "problems";
  const report = useRoundReport(round.id, true);
  if (report.isError && !report.data) {
    return <ErrorState inline error={report.error} retry={() => void report.refetch()} />;
  }
  if (!report.data) return <SkeletonLines lines={8} label="Loading the report" />;
  return (
    <>
      <Panel
        title={closed ? "What it was worth" : "What it is worth so far"}
        note={closed && round.closed_at ? frozenWords(round.closed_at) : undefined}
        actions={
          <>
            <ButtonLink to={`/projects/${slug}/rounds/compare?rounds=${round.id}`}>Compare rounds</ButtonLink>
            <DownloadLink href={`/api/rounds/${round.id}/report.csv`}>Download as CSV</DownloadLink>
          </>
        }
      >
        {!paths && <p className={classes.verdict}>{verdict(report.data)}</p>}
        <HastyNotice slug={slug} round={round.id} />
        <ExplainedNumbers
          numbers={(paths ? pathMeasures : knownMeasures)(report.data).map(({ name, value, note, means }) => ({
            name,
            value: value(report.data),
            note: note?.(report.data),
            means,
          }))}
        />
      </Panel>
      <div className={classes.reportCharts}>
        {report.data.labels.submitted > 0 && (
          <>
            {!paths && <YieldChart report={report.data} />}
            <Finished report={report.data} />
            {!paths && <Ratings report={report.data} />}
            <ByDay report={report.data} />
          </>
        )}
        {(round.staged || Object.keys(report.data.dropped).length > 0) && <Dropped report={report.data} />}
      </div>
    </>
  );
}

/** The report of a closed round never changes; the figures at the top of its page do. */
function frozenWords(closedAt: string): string {
  return `As it was closed on ${formatDate(closedAt)}: labels that arrived or were left out after that change the figures above, but not these.`;
}

function YieldChart({ report }: { report: RoundReport }) {
  const rows = yieldRows(report);
  return (
    <ChartFigure
      title="Yield: wrong answers in which an error was found"
      note="95 % intervals"
      table={{ head: ["Chosen as", "Found"], rows: rows.map((row) => [row.name, intervalWords(row)]) }}
      empty={rows.length === 0 ? "No wrong answer was labeled." : undefined}
    >
      <IntervalRows rows={rows} />
    </ChartFigure>
  );
}

function Finished({ report }: { report: RoundReport }) {
  const arms = armsInOrder(report.finished).map(([arm]) => arm);
  const endings = Object.keys(FINISH_WORDS);
  const total = (ending: string) => arms.reduce((sum, arm) => sum + (report.finished[arm]?.[ending] ?? 0), 0);
  const tones: Record<string, Share["tone"]> = {
    found_error: "minus",
    solution: "plus",
    bad_problem: "warn",
    give_up: "zero",
  };
  const bars: Share[] = endings.map((ending) => ({
    name: FINISH_WORDS[ending] ?? ending,
    count: total(ending),
    tone: tones[ending] ?? "zero",
  }));
  const labels = bars.reduce((sum, bar) => sum + bar.count, 0);
  return (
    <ChartFigure
      title="How tasks ended"
      note={
        report.round.overlap > 1
          ? `${countOf(labels, "task")}, each by its ruling, otherwise by the majority of its labels; a tie goes to the ending that claims less`
          : countOf(labels, "task")
      }
      table={{
        head: ["Ending", ...arms.map((arm) => armWords(arm).name)],
        rows: endings.map((ending) => [
          FINISH_WORDS[ending] ?? ending,
          ...arms.map((arm) => formatCount(report.finished[arm]?.[ending] ?? 0)),
        ]),
      }}
      empty={labels === 0 ? "No label was submitted." : undefined}
    >
      <BarList bars={bars} />
    </ChartFigure>
  );
}

/** Return the step ratings of a report as shares. */
export function ratingShares(report: RoundReport): Share[] {
  return [
    { name: "+1 positive", count: report.label_mix["1"] ?? 0, tone: "plus" },
    { name: "0 neutral", count: report.label_mix["0"] ?? 0, tone: "zero" },
    { name: "−1 negative", count: report.label_mix["-1"] ?? 0, tone: "minus" },
  ];
}

function Ratings({ report }: { report: RoundReport }) {
  const shares = ratingShares(report);
  const rated = shares.reduce((sum, share) => sum + share.count, 0);
  return (
    <ChartFigure
      title="Step ratings"
      note={countOf(rated, "step")}
      table={{
        head: ["Rating", "Steps", "Share"],
        rows: shares.map((share) => [share.name, formatCount(share.count), formatPercent(share.count, rated)]),
      }}
      empty={rated === 0 ? "No step was rated." : undefined}
    >
      <ShareBar shares={shares} />
    </ChartFigure>
  );
}

const dayNames = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function ByDay({ report }: { report: RoundReport }) {
  const days = report.by_day.map(([day, labels]) => ({ day: String(day), labels: Number(labels), active_ms: 0 }));
  const last = days.at(-1)?.day ?? "1970-01-01";
  const columns = (days.length > 0 ? fillDays(days, last, 7) : []).map(({ day, labels }) => {
    const name = dayNames.format(new Date(day));
    return { key: day, label: name, name, value: labels, shown: countOf(labels, "label") };
  });
  return (
    <ChartFigure
      title="Labels per day"
      table={{
        head: ["Day", "Labels"],
        rows: columns.filter((column) => column.value > 0).map((column) => [column.name, formatCount(column.value)]),
      }}
      empty={columns.length === 0 ? "No label was submitted." : undefined}
    >
      <ColumnChart
        columns={columns}
        tone="focus"
        height={164}
        axes={["", "labels"]}
        labelWidth={52}
        lastNamed
        summary="Labels per day; the numbers are in the table below."
      />
    </ChartFigure>
  );
}

function Dropped({ report }: { report: RoundReport }) {
  const bars = Object.entries(report.dropped)
    .sort(([, one], [, other]) => other - one)
    .map(([why, count]) => ({ name: dropName(why), count, tone: "zero" as const }));
  return (
    <ChartFigure
      title="Left out of the selection, and why"
      table={{ head: ["Why", "Traces"], rows: bars.map((bar) => [bar.name, formatCount(bar.count)]) }}
      empty={bars.length === 0 ? "Nothing was left out." : undefined}
    >
      <BarList bars={bars} />
    </ChartFigure>
  );
}
