import { useParams } from "react-router";
import type { LabelAuditSummary } from "@/api/labelAuditTypes";
import { WhileActive } from "@/ui/ActiveProject";
import type { TableColumn } from "@/ui/DataTable";
import { countOf, formatCount } from "@/ui/format";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import classes from "./labelAudit.module.css";
import { useLabelAudits } from "./labelAuditQueries";
import { TRIAGE_STATUS } from "./labelAuditWords";
import { NewLabelAudit } from "./NewLabelAudit";

const columns: TableColumn<LabelAuditSummary>[] = [
  {
    name: "Label audit",
    main: true,
    cell: (labelAudit) => (
      <>
        <RowLink to={String(labelAudit.id)}>
          {countOf(labelAudit.progress.items, "label")} by {labelAudit.prm.name}
        </RowLink>
        {labelAudit.created_by && <small className={classes.note}>made by {labelAudit.created_by.display_name}</small>}
      </>
    ),
  },
  {
    name: "State",
    width: "150px",
    cell: ({ status }) => <StatusMark tone={TRIAGE_STATUS[status].tone}>{TRIAGE_STATUS[status].name}</StatusMark>,
  },
  {
    name: "Reviewed",
    width: "120px",
    align: "right",
    cell: ({ progress }) => `${formatCount(progress.reviewed)} of ${formatCount(progress.items)}`,
  },
  {
    name: "For you",
    width: "90px",
    align: "right",
    cell: ({ status, progress }) => (status === "open" ? formatCount(progress.yours) : "–"),
  },
  { name: "When", width: "130px", cell: (labelAudit) => <RelativeTime at={labelAudit.created_at} /> },
];

/** Labels that a PRM or a source finds unlikely, reviewed again blind, mixed with a random control. */
export function LabelAuditsPage() {
  const { slug = "" } = useParams();
  const labelAudits = useLabelAudits(slug);
  return (
    <>
      <PageHeading title="Label audits">
        <p className={classes.lead}>
          Reviewers check labels blind. Some are labels that a PRM or a source of machine labels finds unlikely, the
          others are drawn at random. How often each arm is corrected shows how much noise there is, and whether the
          machine finds it.
        </p>
      </PageHeading>
      <WhileActive>
        <NewLabelAudit slug={slug} />
      </WhileActive>
      <PagedTable
        caption="Label audits, newest first"
        list={labelAudits}
        columns={columns}
        rowKey={(labelAudit) => labelAudit.id}
        one="label audit"
        empty={
          <EmptyState inline title="No label audit yet">
            <p>Label audits are listed here with their progress, and with a report once finished.</p>
          </EmptyState>
        }
      />
    </>
  );
}
