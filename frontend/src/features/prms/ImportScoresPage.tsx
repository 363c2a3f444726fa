import { Checkbox } from "@mantine/core";
import { useRef, useState } from "react";
import { Link, useParams } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import type { NewScores, ScoreImport } from "@/api/scoreTypes";
import { useWaiting } from "@/api/waiting";
import { Button } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { DropZone } from "@/ui/DropZone";
import { Faults } from "@/ui/Faults";
import { Form, FormButtons, FormRow, SelectField, TextField } from "@/ui/Form";
import { faultsAsText } from "@/ui/faultWords";
import { countOf, formatBytes, formatCount, formatPercent } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { ErrorNotice } from "@/ui/Notice";
import { PagedTable } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { RelativeTime } from "@/ui/RelativeTime";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { Waiting } from "@/ui/Waiting";
import classes from "./prms.module.css";
import { AGGREGATIONS } from "./prmWords";
import { isOver } from "./queries";
import { useCancelScores, useImportScores, useScoreImport, useScoreImports } from "./scoreImports";
import { outcomeOf } from "./scoreWords";

const SAMPLE = `{"trace_hash": "9f2c…", "scores": [0.98, 0.91, 0.12]}
{"trace_id": 4711, "scores": [0.99, 0.97]}`;
const SHOWN = ["name", "fingerprint", "scale", "aggregation", "learned_from"];
const SCALES: { value: NewScores["scale"]; label: string }[] = [
  { value: "", label: "as the rows say, otherwise probabilities" },
  { value: "probability", label: "probabilities from 0 to 1" },
  { value: "log_ratio", label: "log ratios" },
];

/** Scores that a lab made on its own machines: send a file, follow its import, and see earlier ones. */
export function ImportScoresPage() {
  const { slug = "" } = useParams();
  return (
    <>
      <PageHeading title="Scores made elsewhere" />
      <UploadScores slug={slug} />
      <Earlier slug={slug} />
    </>
  );
}

const NOTHING: NewScores = {
  name: "",
  fingerprint: "",
  scale: "",
  aggregation: "product",
  learned_from: "",
  dry_run: true,
  skip_faulty: false,
};

function UploadScores({ slug }: { slug: string }) {
  const create = useImportScores(slug);
  const [file, setFile] = useState<File | null>(null);
  const kept = useKeptForm(`scores:${slug}`, () => NOTHING);
  const asked = kept.form;
  const [sent, setSent] = useState<{ done: number; total: number } | null>(null);
  const stop = useRef<AbortController | null>(null);
  const set = (changes: Partial<NewScores>) => kept.set(changes);
  const stopped = create.error instanceof DOMException && create.error.name === "AbortError";
  const send = (chosen: NewScores) => {
    if (!file) return;
    stop.current = new AbortController();
    setSent({ done: 0, total: file.size });
    const answer = create.mutateAsync(
      { file, asked: chosen, onProgress: (done, total) => setSent({ done, total }), signal: stop.current.signal },
      { onSettled: () => setSent(null) },
    );
    if (chosen.dry_run)
      void answer.catch(() => undefined); // the form says why
    else kept.sent(answer, () => undefined); // what was only checked is kept: the import comes next
  };
  const fault = (field: string) => fieldFault(create.error, field);

  return (
    <>
      <Panel
        title="Import scores"
        note="JSON lines, plain or compressed: a trace and a number for each of its steps. Only the scores are imported, not the model. Rounds can choose by them, but workers cannot make more."
      >
        <Form onSubmit={() => send(asked)} label="Import scores" left={kept}>
          <DropZone
            label="The file of scores"
            hint="Drop a file here"
            file={file}
            disabled={create.isPending}
            onChoose={(chosen) => {
              create.reset();
              setFile(chosen);
            }}
          />
          <div className={classes.rowsSaid}>
            <p>
              One row for each trace: its id here or its hash (computed by{" "}
              <code>stepmark.trace_hash(problem, steps)</code>), and a number for each step.
            </p>
            <pre className={classes.sample}>{SAMPLE}</pre>
          </div>
          <FormRow>
            <TextField
              label="Name"
              note="A new scorer, or an imported one that gets more scores."
              placeholder="Qwen 7B on the cluster"
              {...limits.ScoreImportIn.name}
              value={asked.name}
              error={fault("name")}
              onChange={(name) => set({ name })}
            />
            <TextField
              label="Fingerprint (optional)"
              note="Identifies the model and everything that changes its scores. If empty, the rows must say."
              placeholder="qwen-7b@3f1a, fp32"
              {...limits.ScoreImportIn.fingerprint}
              value={asked.fingerprint}
              error={fault("fingerprint")}
              onChange={(fingerprint) => set({ fingerprint })}
            />
          </FormRow>
          <FormRow>
            <SelectField
              label="The numbers are"
              choices={SCALES}
              value={asked.scale}
              error={fault("scale")}
              onChange={(scale) => set({ scale })}
            />
            <SelectField
              label="A trace’s score is"
              choices={Object.entries(AGGREGATIONS).map(([value, label]) => ({
                value: value as NewScores["aggregation"],
                label,
              }))}
              value={asked.aggregation}
              error={fault("aggregation")}
              onChange={(aggregation) => set({ aggregation })}
            />
          </FormRow>
          <TextField
            label="Learned from (optional)"
            note="What the model was trained on. It should not be measured on data it has seen."
            placeholder="unknown"
            {...limits.ScoreImportIn.learned_from}
            value={asked.learned_from}
            error={fault("learned_from")}
            onChange={(learned_from) => set({ learned_from })}
          />
          <Checkbox
            label="Only check it"
            description="A dry run: you get the same report, but nothing is written."
            checked={asked.dry_run}
            onChange={(event) => set({ dry_run: event.currentTarget.checked })}
          />
          <Checkbox
            label="Skip faulty rows"
            description="Otherwise, one fault rejects the whole file."
            checked={asked.skip_faulty}
            onChange={(event) => set({ skip_faulty: event.currentTarget.checked })}
          />
          {!stopped && <ErrorNotice error={otherFault(create.error, SHOWN)} title="The upload failed" />}
          {sent && (
            <div className={classes.sending}>
              <ProgressLine label="Upload" done={sent.done} total={sent.total} />
              <span>
                {formatBytes(sent.done)} of {formatBytes(sent.total)} sent ({formatPercent(sent.done, sent.total)})
              </span>
            </div>
          )}
          <FormButtons>
            <Button kind="primary" type="submit" disabled={!file || !asked.name.trim() || create.isPending}>
              {create.isPending ? "Sending…" : asked.dry_run ? "Check the file" : "Import"}
            </Button>
            {create.isPending && <Button onClick={() => stop.current?.abort()}>Stop</Button>}
            {stopped && <span role="status">Stopped. Nothing was imported.</span>}
            {!create.isPending && !stopped && (
              <span className={classes.quiet}>
                {file ? (asked.name.trim() ? "" : "Name the scorer.") : "Choose a file."}
              </span>
            )}
          </FormButtons>
        </Form>
      </Panel>
      {create.data && (
        <Watched
          slug={slug}
          id={create.data.id}
          onImport={(skip_faulty) => {
            set({ dry_run: false, skip_faulty });
            send({ ...asked, dry_run: false, skip_faulty });
          }}
        />
      )}
    </>
  );
}

/** One import of scores: its progress, then its report. */
function Watched({ slug, id, onImport }: { slug: string; id: number; onImport: (skipFaulty: boolean) => void }) {
  const query = useScoreImport(slug, id);
  const ahead = useWaiting("scoreimport", id, query.data?.status === "queued");
  const cancel = useCancelScores();
  const job = query.data;
  if (query.isError && !job) return <ErrorState inline error={query.error} retry={() => void query.refetch()} />;
  if (!job) return <SkeletonLines lines={4} />;
  const { bytes_done, bytes_total, rows } = job.progress;
  const faults = job.report?.faults;
  const clean = job.status === "succeeded" && job.dry_run && faults?.total === 0;
  const usable = job.status === "succeeded" && job.dry_run && (job.report?.scores.new ?? 0) > 0;
  return (
    <Panel title={job.file_name} actions={<JobMark status={job.status} />}>
      {isOver(job) ? (
        <>
          <p role="status">{outcomeOf(job)}</p>
          {job.scorer !== null && (
            <p>
              <Link to={`/projects/${slug}/prms/${job.scorer}`}>{job.name}</Link> is offered to new rounds.
            </p>
          )}
          {usable && (
            <FormButtons>
              <Button kind="primary" onClick={() => onImport(!clean)}>
                {clean ? "Import it" : "Import without the faulty rows"}
              </Button>
            </FormButtons>
          )}
          {faults && faults.total > 0 && (
            <Faults
              faults={faults}
              rows={job.report?.rows ?? 0}
              text={faultsAsText(job.file_name, job.report?.rows ?? 0, faults)}
            />
          )}
        </>
      ) : (
        <>
          <div className={classes.sending}>
            <ProgressLine label="Reading" done={bytes_done} total={bytes_total || null} />
            <span>
              {job.status === "queued" ? (
                <Waiting on={ahead} />
              ) : (
                `${countOf(rows, "row")}, ${formatBytes(bytes_done)} of ${formatBytes(bytes_total)} read`
              )}
            </span>
          </div>
          <FormButtons>
            <Button disabled={cancel.isPending} onClick={() => cancel.mutate(id)}>
              Cancel
            </Button>
          </FormButtons>
          <ErrorNotice error={cancel.error} />
        </>
      )}
    </Panel>
  );
}

const columns: TableColumn<ScoreImport>[] = [
  {
    name: "Scorer",
    main: true,
    cell: (job) => (
      <>
        {job.name}
        <small className={classes.note}>{job.file_name}</small>
      </>
    ),
  },
  { name: "State", cell: (job) => <JobMark status={job.status} /> },
  { name: "Result", cell: (job) => (isOver(job) ? outcomeOf(job) : "running") },
  { name: "Rows", align: "right", cell: (job) => formatCount(job.report?.rows ?? job.progress.rows) },
  { name: "By", cell: (job) => job.created_by?.display_name ?? "the command line" },
  { name: "When", cell: (job) => <RelativeTime at={job.created_at} /> },
];

function Earlier({ slug }: { slug: string }) {
  return (
    <Panel bare title="Imports of scores">
      <PagedTable
        caption="Imports of scores, newest first"
        list={useScoreImports(slug)}
        columns={columns}
        rowKey={(job) => job.id}
        one="import"
        empty={
          <p className={classes.quiet}>
            None yet. Import scores if your lab scores traces on its own cluster. If workers here can run the PRM,
            connect it instead.
          </p>
        }
      />
    </Panel>
  );
}
