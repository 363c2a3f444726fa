import { useParams } from "react-router";
import type { ImportJob } from "@/api/jobTypes";
import { WhileActive } from "@/ui/ActiveProject";
import type { TableColumn } from "@/ui/DataTable";
import { formatBytes } from "@/ui/format";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { FormatName } from "./FormatName";
import { ImportMark } from "./ImportMark";
import { isOver, knownSentence, outcomeSentence, reportOf } from "./importReport";
import classes from "./imports.module.css";
import { useCreateImport, useImports } from "./queries";
import { UploadPanel } from "./UploadPanel";

function told(job: ImportJob): string {
  const report = reportOf(job);
  return `${outcomeSentence(job)} ${report ? knownSentence(report) : ""}`.trim();
}

const columns: TableColumn<ImportJob>[] = [
  {
    name: "File",
    main: true,
    cell: (job) => (
      <>
        <RowLink to={String(job.id)}>{job.file_name}</RowLink>
        <small className={classes.outcome}>{isOver(job.status) ? told(job) : "In progress."}</small>
      </>
    ),
  },
  { name: "Format", cell: (job) => <FormatName job={job} /> },
  {
    name: "State",
    cell: (job) => (
      <>
        <ImportMark job={job} />
        {job.dry_run && <small className={classes.outcome}>dry run</small>}
      </>
    ),
  },
  { name: "Size", align: "right", cell: (job) => formatBytes(job.progress.bytes_total) },
  { name: "By", cell: (job) => job.created_by?.display_name ?? "the machine" },
  { name: "When", cell: (job) => <RelativeTime at={job.created_at} /> },
];

export function ImportsPage() {
  const { slug = "" } = useParams();
  const imports = useImports(slug);
  const create = useCreateImport(slug);
  // The running import is shown above, to the second. It joins the list once the list knows how it ended.
  const rows = imports.rows?.filter((job) => isOver(job.status) || job.id !== create.data?.id);
  const running = rows?.some((job) => !isOver(job.status));
  return (
    <>
      <PageHeading title="Imports" />
      <WhileActive>
        <UploadPanel slug={slug} create={create} />
      </WhileActive>
      <Panel bare title={running ? "Running and earlier imports" : "Earlier imports"}>
        <PagedTable
          caption="Imports, newest first"
          list={{ ...imports, rows }}
          columns={columns}
          rowKey={(job) => job.id}
          one="import"
          empty={<p className={classes.quiet}>No imports yet.</p>}
        />
      </Panel>
    </>
  );
}
