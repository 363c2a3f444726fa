import type { ReportedRound } from "@/api/roundTypes";
import { Said } from "@/ui/charts/Said";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { Panel } from "@/ui/Panel";
import { StatusMark, type StatusTone } from "@/ui/StatusMark";
import { ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./CompareRounds.module.css";
import { apartWords, type ComparedFigure, comparedWords, FIGURE_WORDS, GROUPS, valueWords } from "./roundFigures";
import { roundName } from "./roundStatus";
import { useComparedRounds } from "./stagedQueries";

const MARKS: Record<ComparedFigure["mark"], { tone: StatusTone; word: string }> = {
  better: { tone: "good", word: "better" },
  worse: { tone: "bad", word: "worse" },
  differs: { tone: "busy", word: "differs" },
  cannot_tell: { tone: "held", word: "cannot tell" },
  not_known: { tone: "quiet", word: "n/a" },
};

/** Two rounds, a row a figure: both values, how far apart, and what that comes to for the later one. */
export function RoundDifferences({ slug, pair }: { slug: string; pair: [ReportedRound, ReportedRound] }) {
  const [one, other] = [...pair].sort((a, b) => a.round.number - b.round.number);
  const found = useComparedRounds(slug, one?.round.id, other?.round.id);
  if (found.isError && !found.data) return <ErrorState inline error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <SkeletonLines lines={8} label="Comparing" />;
  const names = [shortName(found.data.one), shortName(found.data.other)] as const;
  return (
    <Panel
      title={comparedWords(found.data.rows, ...names)}
      note="As their labels are now. A direction is said only where the whole 95 % interval of the difference has it."
    >
      {Object.entries(GROUPS).map(([group, title]) => (
        <section key={group} className={classes.group}>
          <h3>{title}</h3>
          <DataTable
            aligned
            caption={title}
            columns={columnsOf(...names)}
            rows={found.data.rows.filter((row) => row.group === group)}
            rowKey={(row) => row.name}
          />
        </section>
      ))}
    </Panel>
  );
}

const LONGEST = 24;

/** A column's head has no room for a long name. */
function shortName(round: ReportedRound["round"]): string {
  const name = roundName(round);
  return name.length > LONGEST ? `Round ${round.number}` : name;
}

function columnsOf(one: string, other: string): TableColumn<ComparedFigure>[] {
  return [
    {
      name: "Figure",
      main: true,
      cell: ({ name }) => (
        <>
          {FIGURE_WORDS[name].name} <small className={classes.means}>{FIGURE_WORDS[name].means}</small>
        </>
      ),
    },
    { name: one, width: "150px", align: "right", cell: (row) => <Said words={valueWords(row.one, row.is_share)} /> },
    {
      name: other,
      width: "150px",
      align: "right",
      cell: (row) => <Said words={valueWords(row.other, row.is_share)} />,
    },
    {
      name: "Difference",
      width: "170px",
      align: "right",
      cell: (row) => <Said words={apartWords(row.difference, row.is_share)} />,
    },
    { name: "On one axis", width: "150px", quiet: true, cell: (row) => <Axis row={row} /> },
    {
      name: "Mark",
      width: "120px",
      cell: ({ mark }) => <StatusMark tone={MARKS[mark].tone}>{MARKS[mark].word}</StatusMark>,
    },
  ];
}

/** The difference of a share with its interval about one zero line, from −100 to 100 points. */
function Axis({ row: { difference, is_share } }: { row: ComparedFigure }) {
  const { value, low, high } = difference;
  if (!is_share) return null;
  const place = (share: number) => `${50 + share * 50}%`;
  return (
    <span className={classes.axis} data-known={low !== null || undefined} aria-hidden>
      <em />
      {low !== null && high !== null && <i style={{ left: place(low), width: `${(high - low) * 50}%` }} />}
      {value !== null && <b style={{ left: place(value) }} />}
    </span>
  );
}
