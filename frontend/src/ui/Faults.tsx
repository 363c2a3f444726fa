import { CopyButton } from "./CopyField";
import { DataTable, type TableColumn } from "./DataTable";
import classes from "./Faults.module.css";
import { type FaultExample, type FaultKind, type FoundFaults, faultName, linesWords } from "./faultWords";
import { countOf, formatCount } from "./format";

const columns: TableColumn<FaultExample>[] = [
  { name: "Line", align: "right", cell: (example) => formatCount(example.line), width: "64px" },
  { name: "Field", cell: (example) => (example.field ? <code>{example.field}</code> : "the row"), width: "130px" },
  { name: "Found", main: true, cell: (example) => <code className={classes.found}>{example.found}</code> },
  { name: "What to do", cell: (example) => example.do },
];

interface FaultsProps {
  faults: FoundFaults;
  rows: number;
  /** The text to copy: a report for the author of the file. */
  text: string;
}

/** Every kind of fault with its count and the first examples: where, what was found, what to do. */
export function Faults({ faults, rows, text }: FaultsProps) {
  const { kinds, total } = faults;
  return (
    <section className={classes.faults} aria-label="Faults">
      <div className={classes.head}>
        <h3>
          {countOf(total, "fault")} of {countOf(kinds.length, "kind")}; {countOf(rows, "row")} read
        </h3>
        <CopyButton text={text}>Copy as text</CopyButton>
      </div>
      {kinds.map((kind, index) => (
        <Kind key={kind.kind} kind={kind} opened={index === 0} />
      ))}
    </section>
  );
}

function Kind({ kind, opened }: { kind: FaultKind; opened: boolean }) {
  return (
    <details className={classes.kind} open={opened}>
      <summary>
        <strong>{faultName(kind.kind)}</strong>
        <span>
          {formatCount(kind.count)}
          {`: ${linesWords(kind.examples)}`}
          {kind.examples.length < kind.count && `, the first ${formatCount(kind.examples.length)} shown`}
        </span>
      </summary>
      <DataTable
        caption={faultName(kind.kind)}
        columns={columns}
        rows={kind.examples}
        rowKey={(example) => `${example.line} ${example.field} ${example.found}`}
      />
    </details>
  );
}
