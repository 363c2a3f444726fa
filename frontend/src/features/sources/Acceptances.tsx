import { useState } from "react";
import { Link } from "react-router";
import { hasRole, roleIn, useUser } from "@/api/session";
import type { Acceptance, Calibration } from "@/api/sourceTypes";
import { WhileActive } from "@/ui/ActiveProject";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { withInterval } from "@/ui/charts/estimateWords";
import type { TableColumn } from "@/ui/DataTable";
import { countOf, formatCount } from "@/ui/format";
import { PagedTable } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { useAcceptance, useAcceptances } from "./queries";
import classes from "./sources.module.css";

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Marks accepted without a label because of the audit: what can be accepted, what was, and how to undo it. */
export function Acceptances({ slug, found }: { slug: string; found: Calibration }) {
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  const acceptances = useAcceptances(slug);
  const change = useAcceptance(slug);
  const [accepting, setAccepting] = useState(false);
  const [withdrawing, setWithdrawing] = useState<Acceptance | null>(null);
  const { refusal, acceptable, bar } = found.audit;
  const columns: TableColumn<Acceptance>[] = [
    {
      name: "Source",
      main: true,
      cell: (one) => (
        <>
          {one.source.name}
          <small className={classes.note}>
            <Link className={classes.link} to={`/projects/${slug}/rounds/${one.audit}`}>
              Round {one.audit_number}
            </Link>
            : agreement {withInterval(one.sample, percent)}; bar {percent(one.bar)}
          </small>
        </>
      ),
    },
    { name: "Traces", align: "right", cell: (one) => formatCount(one.traces) },
    {
      name: "State",
      cell: (one) =>
        one.withdrawn_at ? (
          <StatusMark tone="quiet">withdrawn</StatusMark>
        ) : (
          <StatusMark tone="good">accepted</StatusMark>
        ),
    },
    { name: "By", cell: (one) => one.created_by?.display_name ?? "the machine" },
    { name: "When", cell: (one) => <RelativeTime at={one.created_at} /> },
    {
      name: "Change",
      quiet: true,
      cell: (one) => admin && !one.withdrawn_at && <Button onClick={() => setWithdrawing(one)}>Withdraw</Button>,
    },
  ];
  return (
    <Panel
      title="Bulk acceptance"
      note="Accepts marks for training traces that nobody has labeled. They are kept separate: no export, training or figure of labels includes them."
      actions={
        admin &&
        acceptable !== null &&
        acceptable > 0 && (
          <WhileActive>
            <Button kind="primary" onClick={() => setAccepting(true)}>
              Accept {countOf(acceptable, "mark")}
            </Button>
          </WhileActive>
        )
      }
    >
      <p className={classes.quiet} role="status">
        {acceptable === null
          ? `Not possible now. ${refusal}`
          : acceptable === 0
            ? "The sample clears its bar, but there are no marks left to accept."
            : `The sample clears its bar: you can accept marks for ${countOf(acceptable, "trace")} that nobody has labeled.`}
        {!admin && acceptable !== null && acceptable > 0 && " An admin of the project must do this."}
      </p>
      <PagedTable
        caption="Acceptances of the project, newest first"
        list={acceptances}
        columns={columns}
        rowKey={(one) => one.id}
        one="acceptance"
        empty={<p className={classes.quiet}>No marks have been accepted in this project yet.</p>}
      />
      <ConfirmDialog
        opened={accepting}
        title={`Accept ${countOf(acceptable ?? 0, "mark")} of ${found.source.name}?`}
        confirm="Accept"
        onConfirm={() => change.mutateAsync({ source: found.source.id })}
        onClose={() => setAccepting(false)}
      >
        Each mark records the source, the bar of {bar === null ? "n/a" : percent(bar)}, the sample and its interval. You
        can withdraw all of them together at any time.
      </ConfirmDialog>
      <ConfirmDialog
        danger
        opened={withdrawing !== null}
        title={`Withdraw ${countOf(withdrawing?.traces ?? 0, "accepted mark")}?`}
        confirm="Withdraw all"
        onConfirm={() => change.mutateAsync({ withdraw: withdrawing?.id ?? 0 })}
        onClose={() => setWithdrawing(null)}
      >
        All of them are withdrawn at once. The entry stays in this list. You can accept the same marks again while the
        sample clears its bar.
      </ConfirmDialog>
    </Panel>
  );
}
