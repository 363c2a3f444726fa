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

/** Marks taken over without a label, on the strength of the audit: what may be, what was, and the way back. */
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
      note="Marks of training traces that nobody labeled. They stand apart: no export, training or figure of labels holds them."
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
          ? `Not now. ${refusal}`
          : acceptable === 0
            ? "The sample clears its bar, and no mark is left to accept."
            : `The sample clears its bar: marks of ${countOf(acceptable, "trace")} that nobody labeled may be accepted.`}
        {!admin && acceptable !== null && acceptable > 0 && " An admin of the project does it."}
      </p>
      <PagedTable
        caption="Acceptances of the project, newest first"
        list={acceptances}
        columns={columns}
        rowKey={(one) => one.id}
        one="acceptance"
        empty={<p className={classes.quiet}>Nothing was accepted in this project yet.</p>}
      />
      <ConfirmDialog
        opened={accepting}
        title={`Accept ${countOf(acceptable ?? 0, "mark")} of ${found.source.name}?`}
        confirm="Accept"
        onConfirm={() => change.mutateAsync({ source: found.source.id })}
        onClose={() => setAccepting(false)}
      >
        Each carries the source, the bar of {bar === null ? "n/a" : percent(bar)}, the sample and its interval. They can
        be withdrawn whole at any time.
      </ConfirmDialog>
      <ConfirmDialog
        danger
        opened={withdrawing !== null}
        title={`Withdraw ${countOf(withdrawing?.traces ?? 0, "accepted mark")}?`}
        confirm="Withdraw all"
        onConfirm={() => change.mutateAsync({ withdraw: withdrawing?.id ?? 0 })}
        onClose={() => setWithdrawing(null)}
      >
        All of them are taken back at once. The line stays here; the same marks can be accepted again while the sample
        clears its bar.
      </ConfirmDialog>
    </Panel>
  );
}
