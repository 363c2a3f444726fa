import type { ReportedRound } from "@/api/roundTypes";
import { NarrowFigure } from "@/ui/charts/NarrowFigure";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { countOf } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { StatusMark, type StatusTone } from "@/ui/StatusMark";
import { ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./CompareRounds.module.css";
import { columnNames } from "./compareChoice";
import { apartWords, type ComparedFigure, comparedWords, FIGURE_WORDS, GROUPS, valueWords } from "./roundFigures";
import { useComparedRounds } from "./stagedQueries";

const MARKS: Record<ComparedFigure["mark"], { tone: StatusTone; word: string }> = {
  better: { tone: "good", word: "better" },
  worse: { tone: "bad", word: "worse" },
  differs: { tone: "busy", word: "differs" },
  cannot_tell: { tone: "held", word: "cannot tell" },
  not_known: { tone: "quiet", word: "n/a" },
};

/** Rounds measured against one of them, one figure per row: the values, their differences, and what these mean. */
export function RoundDifferences({ slug, base, others }: RoundDifferencesProps) {
  const asked = useComparedRounds(
    slug,
    base.round.id,
    others.map(({ round }) => round.id),
  );
  const failed = asked.find(({ isError, data }) => isError && !data);
  if (failed) return <ErrorState inline error={failed.error} retry={() => void failed.refetch()} />;
  const found = asked.flatMap(({ data }) => data ?? []);
  const [first] = found;
  if (!first || found.length < others.length) return <SkeletonLines lines={8} label="Comparing" />;
  const [name = "", ...names] = columnNames([first.one, ...found.map(({ other }) => other)]);
  const rows = first.rows.map((row, place) => ({ ...row, others: found.flatMap(({ rows }) => rows[place] ?? []) }));
  const said = found.map(({ rows }, place) => comparedWords(rows, name, names[place] ?? ""));
  return (
    <Panel
      title={said.length > 1 ? `${countOf(said.length, "round")} against ${name}` : said[0]}
      note={said.length > 1 ? MANY : ONE}
    >
      {said.length > 1 && (
        <ul className={classes.said}>
          {said.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      )}
      {Object.entries(GROUPS).map(([group, title]) => (
        <section key={group} className={classes.group}>
          <h3>{title}</h3>
          <DataTable
            aligned
            caption={title}
            columns={columnsOf(name, names)}
            rows={rows.filter((row) => row.group === group)}
            rowKey={(row) => row.name}
          />
        </section>
      ))}
    </Panel>
  );
}

interface RoundDifferencesProps {
  slug: string;
  base: ReportedRound;
  others: readonly ReportedRound[];
}

const ONE =
  "Based on the labels as they are now. A direction is shown only if the whole 95 % interval of the difference is on one side of 0.";
const MANY = `${ONE} Each difference is tested separately: of twenty that do not exist, about one is marked by chance.`;

/** A figure of the round that the others are measured against, and the same figure of each other round. */
type Row = ComparedFigure & { others: readonly ComparedFigure[] };

function columnsOf(base: string, others: readonly string[]): TableColumn<Row>[] {
  const [other = ""] = others;
  const figure: TableColumn<Row> = {
    name: "Figure",
    main: true,
    cell: ({ name }) => (
      <>
        {FIGURE_WORDS[name].name} <small className={classes.means}>{FIGURE_WORDS[name].means}</small>
      </>
    ),
  };
  const value: TableColumn<Row> = {
    name: base,
    width: "150px",
    align: "right",
    cell: (row) => <NarrowFigure words={valueWords(row.one, row.is_share)} />,
  };
  const after = others.length > 1 ? others.map(columnOf) : columnsOfOne(other);
  return [figure, value, ...after];
}

/** A column for one of several rounds: its value, the difference from the first column's, and the mark. */
function columnOf(name: string, place: number): TableColumn<Row> {
  return {
    name,
    width: "190px",
    align: "right",
    cell: ({ others }) => {
      const row = others[place];
      if (!row) return null;
      if (row.other.value === null) return "n/a"; // then the difference is not known either
      return (
        <span className={classes.against}>
          <NarrowFigure words={valueWords(row.other, row.is_share)} />
          <NarrowFigure words={apartWords(row.difference, row.is_share)} />
          <ComparedMark row={row} />
        </span>
      );
    },
  };
}

/** The columns if there is only one other round: there is room for one column each. */
function columnsOfOne(name: string): TableColumn<Row>[] {
  return [
    {
      name,
      width: "150px",
      align: "right",
      cell: (row) => <NarrowFigure words={valueWords(row.other, row.is_share)} />,
    },
    {
      name: "Difference",
      width: "170px",
      align: "right",
      cell: (row) => <NarrowFigure words={apartWords(row.difference, row.is_share)} />,
    },
    { name: "On one axis", width: "150px", quiet: true, cell: (row) => <Axis row={row} /> },
    { name: "Mark", width: "120px", cell: (row) => <ComparedMark row={row} /> },
  ];
}

function ComparedMark({ row: { mark } }: { row: ComparedFigure }) {
  return <StatusMark tone={MARKS[mark].tone}>{MARKS[mark].word}</StatusMark>;
}

/** The difference of a share, with its interval, on one axis around zero, from −100 to 100 points. */
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
