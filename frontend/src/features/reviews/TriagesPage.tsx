import { useParams } from "react-router";
import type { TriageSummary } from "@/api/triageTypes";
import type { TableColumn } from "@/ui/DataTable";
import { formatCount } from "@/ui/format";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import { NewTriage } from "./NewTriage";
import classes from "./triage.module.css";
import { useTriages } from "./triageQueries";
import { TRIAGE_STATUS } from "./triageWords";

const columns: TableColumn<TriageSummary>[] = [
  {
    name: "Triage",
    main: true,
    cell: (triage) => (
      <>
        <RowLink to={String(triage.id)}>
          {triage.progress.items} labels by {triage.prm.name}
        </RowLink>
        {triage.created_by && <small className={classes.note}>made by {triage.created_by.display_name}</small>}
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
  { name: "When", width: "130px", cell: (triage) => <RelativeTime at={triage.created_at} /> },
];

/** Labels that a PRM finds unlikely, looked at again blind beside a random control. */
export function TriagesPage() {
  const { slug = "" } = useParams();
  const triages = useTriages(slug);
  return (
    <>
      <PageHeading title="Noise triage">
        <p className={classes.lead}>
          Labels that a PRM finds unlikely are reviewed again, blind, among labels drawn at random. How often each arm
          is corrected says how much noise there is, and whether the PRM finds it.
        </p>
      </PageHeading>
      <NewTriage slug={slug} />
      <PagedTable
        caption="Triages, newest first"
        list={triages}
        columns={columns}
        rowKey={(triage) => triage.id}
        one="triage"
        empty={
          <EmptyState inline title="No triage yet">
            <p>Each stands here with how much of it was reviewed, and with its report once it is finished.</p>
          </EmptyState>
        }
      />
    </>
  );
}
