import { useParams } from "react-router";
import { queryString } from "@/api/client";
import type { AuditEvent } from "@/api/projectTypes";
import { Button, DownloadLink } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { Filters } from "@/ui/Form";
import { formatDateTime } from "@/ui/format";
import { PagedTable } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { PeriodFields } from "@/ui/PeriodFields";
import { SearchField } from "@/ui/SearchField";
import { EmptyState } from "@/ui/states";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { AUDIT_FILTERS, auditAsked } from "./auditFilters";
import { detailWords } from "./auditWords";
import classes from "./projects.module.css";
import { useAudit } from "./queries";

/** The details of an entry; nothing if it has none. */
function Detail({ of }: { of: AuditEvent["detail"] }) {
  const shown = detailWords(of);
  return shown && <pre className={classes.detail}>{shown}</pre>;
}

/** What was done, as text; in small print its name, by which programs find it. */
function Act({ event }: { event: AuditEvent }) {
  return (
    <>
      {event.words}
      <small className={classes.act}>{event.action}</small>
    </>
  );
}

const columns: TableColumn<AuditEvent>[] = [
  { name: "When", cell: (event) => <time dateTime={event.at}>{formatDateTime(event.at)}</time>, width: "160px" },
  { name: "Who", cell: (event) => event.actor?.display_name ?? "the machine" },
  { name: "What", main: true, cell: (event) => <Act event={event} /> },
  { name: "On", cell: (event) => event.target },
  { name: "Detail", cell: (event) => <Detail of={event.detail} /> },
];

/** Who did what, and when. The database refuses to change or delete an entry. */
export function AuditPage() {
  const { slug = "" } = useParams();
  const { filters, setFilter, setFilters, clear, filtered } = useUrlFilters(AUDIT_FILTERS);
  const asked = auditAsked(filters);
  const audit = useAudit(slug, asked);
  return (
    <>
      <PageHeading
        title="Audit log"
        actions={
          <DownloadLink href={`/api/projects/${slug}/audit.csv${queryString(asked)}`}>Download as CSV</DownloadLink>
        }
      />
      <Filters>
        <SearchField
          label="Who"
          placeholder="name, or the machine"
          value={filters.who}
          onChange={(value) => setFilter("who", value)}
        />
        <SearchField
          label="What"
          placeholder="import, round 3"
          value={filters.what}
          onChange={(value) => setFilter("what", value)}
        />
        <PeriodFields since={filters.since} until={filters.until} onChange={setFilters} />
      </Filters>
      <PagedTable
        caption="Audit log, newest first"
        list={audit}
        columns={columns}
        rowKey={(event) => event.id}
        one="entry"
        many="entries"
        empty={
          filtered ? (
            <EmptyState
              inline
              title="No entries match these filters"
              actions={<Button onClick={clear}>Clear filters</Button>}
            />
          ) : (
            <EmptyState inline title="Nothing recorded yet" />
          )
        }
      />
    </>
  );
}
