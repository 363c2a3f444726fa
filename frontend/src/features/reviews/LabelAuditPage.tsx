import { useState } from "react";
import { useParams } from "react-router";
import type { LabelAudit } from "@/api/labelAuditTypes";
import { Button, ButtonLink, DownloadLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { countOf, formatCount, formatDateTime } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { LabelAuditReportView } from "./LabelAuditReportView";
import classes from "./labelAudit.module.css";
import { useEndLabelAudit, useLabelAudit } from "./labelAuditQueries";
import { countWords } from "./labelAuditWords";

/** One label audit: the progress of its review and, once it is over, its result. */
export function LabelAuditPage() {
  const { slug = "", labelAuditId } = useParams();
  const id = Number(labelAuditId);
  const found = useLabelAudit(id);
  const labelAudit = found.data;
  return (
    <>
      <PageHeading
        title={`Label audit ${labelAuditId}`}
        actions={
          <>
            <ButtonLink to={`/projects/${slug}/label-audits`}>All label audits</ButtonLink>
            {labelAudit?.report && (
              <DownloadLink href={`/api/label_audits/${id}/report.csv`}>Download as CSV</DownloadLink>
            )}
          </>
        }
      />
      {found.isPending && <SkeletonLines lines={10} />}
      {found.isError && !labelAudit && <ErrorState inline error={found.error} retry={() => void found.refetch()} />}
      {labelAudit && (
        <>
          {labelAudit.status === "open" && <Progress slug={slug} labelAudit={labelAudit} />}
          {labelAudit.report && <LabelAuditReportView slug={slug} labelAudit={labelAudit} report={labelAudit.report} />}
          <Origin labelAudit={labelAudit} />
        </>
      )}
    </>
  );
}

function Progress({ slug, labelAudit }: { slug: string; labelAudit: LabelAudit }) {
  const { items, reviewed, void: changed, yours } = labelAudit.progress;
  const left = items - reviewed - changed;
  const [asking, ask] = useState<"finish" | "cancel" | null>(null);
  const end = useEndLabelAudit(slug, labelAudit.id);
  return (
    <Panel
      title="Review it blind"
      note="You see only the trace. Its label, its scores and its arm are shown at the end."
      actions={
        yours > 0 && (
          <ButtonLink kind="primary" to="review">
            {reviewed === 0 ? "Start reviewing" : "Go on reviewing"}
          </ButtonLink>
        )
      }
    >
      <div className={classes.progress}>
        <ProgressLine label="Reviewed" done={reviewed} total={items - changed} />
        <p>
          <strong>
            {formatCount(reviewed)} of {countOf(items - changed, "label")}
          </strong>{" "}
          reviewed, {formatCount(yours)} left for you.
          {changed > 0 &&
            ` ${countOf(changed, "label")} changed since and ${changed === 1 ? "needs" : "need"} no review.`}
          {left > 0 &&
            yours === 0 &&
            " The rest is for other reviewers: you labeled the trace yourself, or the label is being reviewed now."}
        </p>
        <div className={classes.buttons}>
          <Button disabled={reviewed === 0} onClick={() => ask("finish")}>
            Finish…
          </Button>
          <Button kind="danger" onClick={() => ask("cancel")}>
            Cancel it…
          </Button>
        </div>
      </div>
      <ConfirmDialog
        opened={asking === "finish"}
        title="Finish the label audit?"
        confirm="Finish"
        onConfirm={() => end.mutateAsync("finish")}
        onClose={() => ask(null)}
      >
        <p>
          Each review that differs from its label about the first error becomes the ruling on its task, even in closed
          rounds. The labels do not change. Exports and trainings that use settled verdicts take the ruling. You can
          undo the label audit later.
        </p>
        {left > 0 && <p>{countOf(left, "label")} without a review will not change.</p>}
      </ConfirmDialog>
      <ConfirmDialog
        opened={asking === "cancel"}
        title="Cancel the label audit?"
        confirm="Cancel the label audit"
        danger
        onConfirm={() => end.mutateAsync("cancel")}
        onClose={() => ask(null)}
      >
        <p>Its reviews change nothing. You can still read them, and other label audits may choose its labels again.</p>
      </ConfirmDialog>
    </Panel>
  );
}

function Origin({ labelAudit }: { labelAudit: LabelAudit }) {
  const { status, created_by, created_at, ended_by, ended_at, undone_by, undone_at } = labelAudit;
  const by = (person: { display_name: string } | null, at: string) =>
    `${person?.display_name ?? "the operator"}, ${formatDateTime(at)}`;
  const ending: [string, string][] = [];
  if (ended_at !== null) ending.push([status === "cancelled" ? "Cancelled by" : "Finished by", by(ended_by, ended_at)]);
  if (undone_at !== null) ending.push(["Undone by", by(undone_by, undone_at)]);
  return (
    <Panel bare title="How it was chosen" note={countWords(labelAudit.counts, "could")}>
      <Facts
        facts={[
          [labelAudit.prm.kind === "prm" ? "PRM" : "Source", labelAudit.prm.name],
          ["Labels asked for", formatCount(labelAudit.labels)],
          ["At random", `${Math.round(labelAudit.control_share * 100)} %`],
          ["Seed", String(labelAudit.seed)],
          ["Made by", by(created_by, created_at)],
          ...ending,
        ]}
      />
    </Panel>
  );
}
