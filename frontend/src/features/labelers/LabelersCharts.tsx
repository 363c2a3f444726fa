import type { Estimate, LabelerFigures, Labelers } from "@/api/deskTypes";
import { ChartFigure, type Tone } from "@/ui/charts/ChartFigure";
import { type ValueRow, ValueRows } from "@/ui/charts/ValueRows";
import classes from "./labelers.module.css";
import { seconds } from "./labelerWords";
import { medianWords, newestWords, shareWords } from "./sideBySide";

const percent = (value: number) => `${Math.round(value * 100)} %`;

/** Each figure of all labelers on one axis. */
export function LabelersCharts({ found: { results, floor_ms } }: { found: Labelers }) {
  return (
    <div className={classes.charts}>
      <Shares
        title="Agrees with gold"
        note="of hidden gold tasks"
        rows={results}
        of={(row) => row.gold}
        tone="plus"
        unit="task"
        empty="Nobody has answered a hidden gold task here."
      />
      <Shares
        title="Same first error as peers"
        note="of pairs of labels of one task"
        rows={results}
        of={(row) => row.peers}
        tone="plus"
        unit="pair"
        empty="No task here has labels by two people."
      />
      <Speed rows={results} />
      <Shares
        title="Hasty"
        note={`of labels, under ${seconds(floor_ms / 1000)} per step`}
        rows={results}
        of={(row) => row.too_fast}
        tone="warn"
        unit="label"
        empty="No label here has rated steps."
      />
      <Shares
        title="Gave up"
        note="of labels"
        rows={results}
        of={(row) => row.give_up}
        tone="zero"
        unit="label"
        empty="No labels yet."
      />
    </div>
  );
}

interface SharesProps {
  title: string;
  note: string;
  rows: LabelerFigures[];
  of: (row: LabelerFigures) => Estimate;
  tone: Tone;
  unit: string;
  empty: string;
}

function Shares({ title, note, rows, of, tone, unit, empty }: SharesProps) {
  const shown: ValueRow[] = rows
    .filter((row) => of(row).n > 0)
    .map((row) => ({ key: row.id, name: nameOf(row), ...of(row), tone, words: shareWords(of(row), unit) }));
  return (
    <ChartFigure
      title={title}
      note={note}
      table={{ head: ["Labeler", "Share"], rows: shown.map((row) => [row.name, row.words ?? ""]) }}
      empty={shown.length === 0 ? empty : undefined}
    >
      <ValueRows rows={shown} format={percent} top={1} />
    </ChartFigure>
  );
}

/**
 * The median of each labeler. Below it, that of the newest labels if it differs, which the overall median would hide.
 */
function Speed({ rows }: { rows: LabelerFigures[] }) {
  const timed = rows.filter((row) => row.pace.median.value !== null);
  return (
    <ChartFigure
      title="Active time per step"
      note="median over labels; also that of the newest labels if it differs"
      table={{
        head: ["Labeler", "Median time per step", "Newest labels"],
        rows: timed.map((row) => [nameOf(row), medianWords(row), newestWords(row.pace)]),
      }}
      empty={timed.length === 0 ? "No label here has both rated steps and a time." : undefined}
    >
      <ValueRows rows={timed.flatMap(paceRows)} format={tick} />
    </ChartFigure>
  );
}

const tick = (value: number) => `${value} s`;

function paceRows(row: LabelerFigures): ValueRow[] {
  const { median, newest, change } = row.pace;
  const all: ValueRow = {
    key: row.id,
    name: nameOf(row),
    ...median,
    tone: "focus",
    words: medianWords(row),
  };
  if (change === null || newest === null) return [all];
  const name = `${nameOf(row)}, newest ${newest.n}`;
  return [all, { key: `${row.id} newest`, name, ...newest, tone: "warn", words: newestWords(row.pace) }];
}

function nameOf(row: LabelerFigures): string {
  return row.is_active ? row.display_name : `${row.display_name} (deactivated)`;
}
