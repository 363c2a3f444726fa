import { useEffect, useEffectEvent, useState } from "react";
import { useNavigate } from "react-router";
import type { ImportJob } from "@/api/jobTypes";
import { useWaiting } from "@/api/waiting";
import { StartLink, WhileActive } from "@/ui/ActiveProject";
import { Button, ButtonLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Faults } from "@/ui/Faults";
import { countOf, formatBytes, formatPercent } from "@/ui/format";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { TriedAgain } from "@/ui/TriedAgain";
import { Waiting } from "@/ui/Waiting";
import { ColumnMapper } from "./ColumnMapper";
import { ImportMark } from "./ImportMark";
import {
  faultReportText,
  isOver,
  knownSentence,
  outcomeSentence,
  remarks,
  reportOf,
  wantsMapping,
} from "./importReport";
import classes from "./imports.module.css";
import { useCancelImport, useForgetCounts, useForgetImports, useImport, useImportChecked } from "./queries";

interface JobProgressProps {
  slug: string;
  id: number;
  /** Import the same file for real; given if the file is still available. */
  onImport?: (skipFaulty: boolean) => void;
}

/** One import: its progress, then its report. */
export function JobProgress({ slug, id, onImport }: JobProgressProps) {
  const query = useImport(id);
  const job = query.data;
  const over = job !== undefined && isOver(job.status);
  const forgetList = useEffectEvent(useForgetImports(slug));
  const forgetCounts = useEffectEvent(useForgetCounts(slug));
  const status = job?.status;
  useEffect(() => {
    if (status) void forgetList(); // the list is polled less often than this import
  }, [status]);
  useEffect(() => {
    if (over) void forgetCounts();
  }, [over]);

  if (query.isError && !job) return <ErrorState inline error={query.error} retry={() => void query.refetch()} />;
  if (!job) return <SkeletonLines lines={4} />;
  return (
    <>
      <Panel title={job.file_name} actions={<ImportMark job={job} />}>
        {over ? <Outcome slug={slug} job={job} {...(onImport ? { onImport } : {})} /> : <Running job={job} />}
      </Panel>
      {over && wantsMapping(job) && <ColumnMapper key={job.id} slug={slug} job={job} />}
    </>
  );
}

/** A worker sends a heartbeat each second. After this many seconds without one, the page says so. */
const SILENT_S = 8;

function Running({ job }: { job: ImportJob }) {
  const cancel = useCancelImport();
  const [asking, setAsking] = useState(false);
  const ahead = useWaiting("importjob", job.id, job.status === "queued");
  const { bytes_done, bytes_total, rows, silent_seconds: silent } = job.progress;
  const read = bytes_total > 0 && bytes_done >= bytes_total;
  const words =
    job.status === "queued" ? (
      <Waiting on={ahead} />
    ) : read ? (
      `${countOf(rows, "row")} read. Writing them now.`
    ) : (
      `${countOf(rows, "row")}, ${formatBytes(bytes_done)} of ${formatBytes(bytes_total)} read (${formatPercent(bytes_done, bytes_total)})`
    );
  return (
    <>
      <TriedAgain error={job.error} />
      {job.attempts > 1 && !job.error && (
        <Notice tone="info" title={`Started again, attempt ${job.attempts}`}>
          The previous worker ended early and kept nothing. The file is being read again from the start.
        </Notice>
      )}
      <div className={classes.sending}>
        <ProgressLine
          label="Import"
          done={bytes_done}
          total={read && job.status === "running" ? null : Math.max(1, bytes_total)}
        />
        <span aria-live="polite">{words}</span>
      </div>
      {silent >= SILENT_S && (
        <p className={classes.silent}>
          The worker has not responded for {silent} s. If it died, another one takes over automatically within a minute.
        </p>
      )}
      <ErrorNotice error={cancel.error} />
      <Button onClick={() => setAsking(true)}>Cancel the import</Button>
      <ConfirmDialog
        opened={asking}
        title="Cancel this import?"
        confirm="Cancel the import"
        danger
        onConfirm={() => cancel.mutateAsync(job.id)}
        onClose={() => setAsking(false)}
      >
        Nothing from the file will be imported. You can upload it again at any time.
      </ConfirmDialog>
    </>
  );
}

function tone(job: ImportJob): "good" | "bad" | "warn" | "info" {
  const report = reportOf(job);
  if (job.status === "cancelled") return "info";
  if (job.status === "failed" || !report) return "bad";
  return report.faults.total > 0 ? "warn" : "good";
}

function Outcome({ slug, job, onImport }: { slug: string; job: ImportJob; onImport?: (skipFaulty: boolean) => void }) {
  const report = reportOf(job);
  const nothingYet = report !== null && !report.imported && job.status !== "cancelled";
  const faulty = report !== null && report.faults.total > 0;
  const good = report !== null && report.traces.new + report.problems.new > 0;
  const navigate = useNavigate();
  const checked = useImportChecked(slug);
  const again = (skipFaulty: boolean) =>
    checked.mutate(
      { id: job.id, skip_faulty: skipFaulty },
      { onSuccess: (made) => void navigate(`/projects/${slug}/imports/${made.id}`) },
    );
  const importIt = onImport ?? again;
  return (
    <>
      <Notice tone={tone(job)} title={outcomeSentence(job)}>
        {report && knownSentence(report)}
        {remarks(job).length > 0 && (
          <ul className={classes.remarks}>
            {remarks(job).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </Notice>
      <div className={classes.after}>
        {report?.imported && (
          <>
            <StartLink kind="primary" to={`/projects/${slug}/rounds/new`}>
              Open a round
            </StartLink>
            <ButtonLink to={`/projects/${slug}/traces`}>See the traces</ButtonLink>
            {report.labels.new > 0 && (
              <StartLink to={`/projects/${slug}/prms/train`}>Train a PRM from these labels</StartLink>
            )}
          </>
        )}
        <WhileActive>
          {nothingYet && !faulty && (
            <Button kind="primary" disabled={checked.isPending} onClick={() => importIt(false)}>
              Import it now
            </Button>
          )}
          {nothingYet && faulty && good && (
            <Button disabled={checked.isPending} onClick={() => importIt(true)}>
              Import without the faulty rows
            </Button>
          )}
        </WhileActive>
      </div>
      <ErrorNotice error={checked.error} title="The file was not imported" />
      {report && faulty && <Faults faults={report.faults} rows={report.rows} text={faultReportText(job)} />}
    </>
  );
}
