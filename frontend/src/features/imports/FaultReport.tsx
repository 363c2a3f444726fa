import type { FaultExample, FaultKind, ImportJob, ImportReport } from "@/api/jobTypes";
import { CopyButton } from "@/ui/CopyField";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { countOf, formatCount } from "@/ui/format";
import { faultName, faultReportText } from "./importReport";
import classes from "./imports.module.css";

const columns: TableColumn<FaultExample>[] = [
  { name: "Line", align: "right", cell: (example) => formatCount(example.line), width: "64px" },
  { name: "Field", cell: (example) => (example.field ? <code>{example.field}</code> : "the row"), width: "130px" },
  { name: "Found", main: true, cell: (example) => <code className={classes.found}>{example.found}</code> },
  { name: "What to do", cell: (example) => example.do },
];

/** Every kind of fault with its count and the first examples: where, what was found, what to do. */
export function FaultReport({ job, report }: { job: ImportJob; report: ImportReport }) {
  const { kinds, total } = report.faults;
  return (
    <section className={classes.faults} aria-label="Faults">
      <div className={classes.faultsHead}>
        <h3>
          {countOf(total, "fault")} of {countOf(kinds.length, "kind")} in {countOf(report.rows, "row")}
        </h3>
        <CopyButton text={faultReportText(job)}>Copy as text</CopyButton>
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
