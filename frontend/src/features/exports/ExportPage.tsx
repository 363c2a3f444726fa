import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { useExportFormats } from "@/api/exportFormats";
import type { Export, ExportFormat } from "@/api/jobTypes";
import { useProject } from "@/api/projects";
import { useWaiting } from "@/api/waiting";
import { Button } from "@/ui/Button";
import { CopyButton, CopyField } from "@/ui/CopyField";
import { countOf, formatBytes, formatCount, formatDateTime, formatPercent } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Figure, Figures, Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { TriedAgain } from "@/ui/TriedAgain";
import { FINISH_WORDS } from "@/ui/trace/words";
import { Waiting } from "@/ui/Waiting";
import { AGREEMENTS, fileWords, leftOutSentence, silentSentence, timeWords } from "./exportForm";
import classes from "./exports.module.css";
import { FormatName } from "./FormatName";
import { isOver, useCreateExport, useExport, useManifest, usePushExport, usePushes } from "./queries";

export function ExportPage() {
  const { exportId } = useParams();
  const query = useExport(Number(exportId));
  const job = query.data;
  return (
    <>
      <PageHeading
        title={`Export ${exportId}`}
        actions={
          job?.status === "succeeded" && (
            <a className={classes.download} href={`/api/exports/${job.id}/download`} download>
              Download
            </a>
          )
        }
      >
        {job && <JobMark status={job.status} />}
      </PageHeading>
      {query.isPending && <SkeletonLines lines={8} />}
      {query.isError && !job && <ErrorState inline error={query.error} retry={() => void query.refetch()} />}
      {job && !isOver(job) && <Running job={job} />}
      {job?.status === "failed" && (
        <Notice tone="bad" title="The export failed">
          <p>{job.error}</p>
          <AskAgain job={job} />
        </Notice>
      )}
      {job?.status === "succeeded" && <Made job={job} />}
      {job?.status === "succeeded" && <Companions job={job} />}
      {job?.status === "succeeded" && <Push job={job} />}
      {job && <Asked job={job} />}
      {job?.status === "succeeded" && <Manifest id={job.id} />}
    </>
  );
}

function Running({ job }: { job: Export }) {
  const { labels_done, labels_total } = job.progress;
  const ahead = useWaiting("export", job.id, job.status === "queued");
  return (
    <Panel>
      <TriedAgain error={job.error} />
      <div className={classes.running}>
        <ProgressLine label="Export" done={labels_done} total={Math.max(1, labels_total)} />
        <span aria-live="polite">
          {job.status === "queued" ? (
            <Waiting on={ahead} />
          ) : (
            `${formatCount(labels_done)} of ${countOf(labels_total, "label")} written (${formatPercent(labels_done, labels_total)})`
          )}
        </span>
      </div>
    </Panel>
  );
}

function Made({ job }: { job: Export }) {
  return (
    <Panel>
      <Figures>
        <Figure name="Rows" value={formatCount(job.rows)} />
        <Figure name="Labels" value={formatCount(job.progress.labels_total)} />
        <Figure name="Size" value={formatBytes(job.bytes)} />
      </Figures>
      {leftOutSentence(job.left_out) && <p className={classes.leftOut}>{leftOutSentence(job.left_out)}</p>}
      {silentSentence(job) && <p className={classes.leftOut}>{silentSentence(job)}</p>}
      <div className={classes.hashes}>
        <div>
          <p>SHA-256 of the file</p>
          <CopyField label="SHA-256 of the file" value={job.sha256} />
        </div>
        <div>
          <p>Snapshot: the same snapshot gives the same bytes</p>
          <CopyField label="Snapshot id" value={job.snapshot_id} />
        </div>
      </div>
    </Panel>
  );
}

/** Files that belong next to the export's own in a trainer's folder. Nothing for formats that have none. */
function Companions({ job }: { job: Export }) {
  const format = useExportFormats().data?.formats.find(({ name }) => name === job.format);
  if (!format?.companions.length) return null;
  return (
    <Panel title="Put beside it">
      <ul className={classes.companions}>
        {format.companions.map(({ name, means }) => (
          <li key={name}>
            <a href={`/api/exports/${job.id}/companions/${name}`} download>
              {name}
            </a>
            <span>{means}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Sends an export of runs back to the service that recorded them, if the operator named one. */
function Push({ job }: { job: Export }) {
  const { slug = "" } = useParams();
  const isAdmin = useProject(slug).data?.role === "admin";
  const format = useExportFormats().data?.formats.find(({ name }) => name === job.format);
  const goesHome = format?.kind === "home";
  const { data, error } = usePushes(job.id, goesHome);
  const push = usePushExport(job.id);
  if (!goesHome || !data) return <ErrorNotice error={error} />;
  return (
    <Panel
      title="Send it home"
      note="To a service that the operator set up, with that service’s token. Each score is sent once."
    >
      <ErrorNotice error={push.error} />
      {data.targets.length === 0 && (
        <p className={classes.leftOut}>
          The operator has not set up a service for this file (LABEL_TARGETS). You can download the same file instead.
        </p>
      )}
      {data.targets.length > 0 && !isAdmin && <p className={classes.leftOut}>Only a project admin can send it.</p>}
      {isAdmin &&
        data.targets.map((target) => (
          <Button key={target} onClick={() => push.mutate(target)} disabled={push.isPending}>
            {`Send to ${target}`}
          </Button>
        ))}
      {data.pushes.map((one) => (
        <div key={one.id} className={classes.push}>
          <p aria-live="polite">
            {one.target} <JobMark status={one.status} />{" "}
            {`${countOf(one.scores_sent, "score")} of ${formatCount(one.scores_total)} sent. The others were already there.`}
          </p>
          {one.error && <p className={classes.leftOut}>{one.error}</p>}
        </div>
      ))}
    </Panel>
  );
}

/** Repeat the export once its problem is fixed, with the labels that exist then. */
function AskAgain({ job }: { job: Export }) {
  const { slug = "" } = useParams();
  const navigate = useNavigate();
  const create = useCreateExport(slug);
  const ask = () =>
    create.mutate(
      {
        filters: {},
        switches: {},
        container: "json_lines",
        gzip: false,
        roles: {},
        statements: {},
        ...job.config,
        format: job.format,
      },
      { onSuccess: (made) => void navigate(`/projects/${slug}/exports/${made.id}`) },
    );
  return (
    <>
      <ErrorNotice error={create.error} />
      <Button onClick={ask} disabled={create.isPending}>
        {create.isPending ? "Asking…" : "Export again"}
      </Button>
    </>
  );
}

/**
 * Return a switch and its value in the words of the format's list, or as recorded if this version does not know them.
 */
function switchFact(format: ExportFormat | undefined, name: string, value: string): [string, string] {
  const known = format?.switches.find((one) => one.name === name);
  const choice = known?.choices.find((one) => one.value === value);
  return [known?.title ?? name.replaceAll("_", " "), choice?.means ?? value.replaceAll("_", " ")];
}

function Asked({ job }: { job: Export }) {
  const { filters, switches } = job.config;
  const known = useExportFormats().data;
  const format = known?.formats.find(({ name }) => name === job.format);
  return (
    <Panel title="What was asked for">
      <Facts
        facts={[
          ["Format", <FormatName key="format" format={job.format} />],
          ["Rounds", filters?.rounds ? countOf(filters.rounds.length, "chosen round") : "all"],
          ["Labels that ended with", filters?.finish?.map((reason) => FINISH_WORDS[reason]).join(", ") ?? "any reason"],
          ["Split", filters?.split?.replace("_", " ") ?? "both"],
          ["Labelers", filters?.labelers ? countOf(filters.labelers.length, "chosen labeler") : "all"],
          ["Subjects", filters?.subjects?.join(", ") ?? "all"],
          ["Tasks", AGREEMENTS.find(({ value }) => value === (filters?.agreement ?? ""))?.label ?? "all"],
          ["Submitted", timeWords(filters ?? {}) ?? "at any time"],
          ["File", fileWords(job.config, known)],
          ["By", job.created_by?.display_name ?? "the machine"],
          ["When", formatDateTime(job.created_at)],
          ...Object.entries(switches ?? {}).map(([name, value]) => switchFact(format, name, value)),
        ]}
      />
    </Panel>
  );
}

function Manifest({ id }: { id: number }) {
  const [shown, setShown] = useState(false);
  const manifest = useManifest(id, shown);
  const text = manifest.data ? JSON.stringify(hashesLast(manifest.data), null, 2) : "";
  return (
    <Panel
      title="Manifest"
      note="How the file was made: filters, counts per rating, hashes, versions, models and statements."
      actions={
        <>
          {shown && manifest.data && <CopyButton text={text}>Copy as JSON</CopyButton>}
          <a className={classes.quietLink} href={`/api/exports/${id}/row_hashes`} download>
            Hash of every row
          </a>
          <Button aria-expanded={shown} onClick={() => setShown(!shown)}>
            {shown ? "Hide" : "Show"}
          </Button>
        </>
      }
    >
      {shown && manifest.isPending && <SkeletonLines lines={8} />}
      {shown && manifest.isError && <ErrorState inline error={manifest.error} retry={() => void manifest.refetch()} />}
      {shown && manifest.data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard
        <pre className={classes.manifest} tabIndex={0}>
          {text}
        </pre>
      )}
    </Panel>
  );
}

/** Return a manifest in reading order: what may be a thousand hashes comes last. */
function hashesLast({ row_hashes, ...told }: Record<string, unknown>): Record<string, unknown> {
  return row_hashes === undefined ? told : { ...told, row_hashes };
}
