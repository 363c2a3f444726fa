import { useParams } from "react-router";
import type { AuditEvent } from "@/api/projectTypes";
import type { TableColumn } from "@/ui/DataTable";
import { formatDateTime } from "@/ui/format";
import { PagedTable } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { EmptyState } from "@/ui/states";
import classes from "./projects.module.css";
import { useAudit } from "./queries";

function shownDetail(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

const columns: TableColumn<AuditEvent>[] = [
  { name: "When", cell: (event) => <time dateTime={event.at}>{formatDateTime(event.at)}</time>, width: "160px" },
  { name: "Who", cell: (event) => event.actor?.display_name ?? "the machine" },
  { name: "What", main: true, cell: (event) => event.action },
  { name: "On", cell: (event) => event.target },
  { name: "Detail", cell: (event) => <pre className={classes.detail}>{shownDetail(event.detail)}</pre> },
];

/** Who did what, when; the database refuses to change or delete an entry. */
export function AuditPage() {
  const { slug = "" } = useParams();
  const audit = useAudit(slug);
  return (
    <>
      <PageHeading title="Audit log" />
      <PagedTable
        caption="Audit log, newest first"
        list={audit}
        columns={columns}
        rowKey={(event) => event.id}
        one="entry"
        many="entries"
        empty={<EmptyState inline title="Nothing was recorded yet" />}
      />
    </>
  );
}
