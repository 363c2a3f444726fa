import { useParams } from "react-router";
import type { Export } from "@/api/jobTypes";
import { ButtonLink } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { formatBytes, formatCount } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { RelativeTime } from "@/ui/RelativeTime";
import { EmptyState } from "@/ui/states";
import { FormatName } from "./FormatName";
import { useExports } from "./queries";

const columns: TableColumn<Export>[] = [
  { name: "Export", main: true, cell: (job) => <RowLink to={String(job.id)}>Export {job.id}</RowLink> },
  { name: "Format", cell: (job) => <FormatName format={job.format} /> },
  {
    name: "File",
    cell: (job) => (job.config.container === "parquet" ? "Parquet" : job.config.gzip ? "gzip" : "lines"),
  },
  { name: "State", cell: (job) => <JobMark status={job.status} /> },
  { name: "Rows", align: "right", cell: (job) => formatCount(job.rows) },
  { name: "Size", align: "right", cell: (job) => formatBytes(job.bytes) },
  { name: "By", cell: (job) => job.created_by?.display_name ?? "the machine" },
  { name: "When", cell: (job) => <RelativeTime at={job.created_at} /> },
];

export function ExportsPage() {
  const { slug = "" } = useParams();
  const exports = useExports(slug);
  const make = (
    <ButtonLink kind="primary" to={`/projects/${slug}/exports/new`}>
      New export
    </ButtonLink>
  );
  return (
    <>
      <PageHeading title="Exports" actions={exports.rows?.length !== 0 && make} />
      <PagedTable
        caption="Exports, newest first"
        list={exports}
        columns={columns}
        rowKey={(job) => job.id}
        one="export"
        empty={
          <EmptyState inline title="No exports yet" actions={make}>
            <p>An export is a file of labels for a trainer, with a manifest that says how it was made.</p>
          </EmptyState>
        }
      />
    </>
  );
}
