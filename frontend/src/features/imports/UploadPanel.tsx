import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { otherFault } from "@/api/fieldFaults";
import * as limits from "@/api/limits";
import { hasRole, roleIn, useUser } from "@/api/session";
import { Button } from "@/ui/Button";
import { DropZone } from "@/ui/DropZone";
import { FormButtons, GroupedChoices } from "@/ui/Form";
import { formatBytes, formatPercent } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./imports.module.css";
import { JobProgress } from "./JobProgress";
import { type useCreateImport, useImportFormats } from "./queries";
import { formatGroups, LABELS_OF, LABELS_OF_LACKS, SPLITS, type UploadChoice } from "./uploadChoice";

interface UploadPanelProps {
  slug: string;
  /** Owned by the page, so that its list knows which import is shown here. */
  create: ReturnType<typeof useCreateImport>;
}

/** Choose a file and how to read it, send it, and follow its import without leaving the page. */
export function UploadPanel({ slug, create }: UploadPanelProps) {
  const known = useImportFormats();
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  const [params] = useSearchParams();
  const [file, setFile] = useState<File | null>(null);
  const [choice, setChoice] = useState<UploadChoice>({
    format: "auto",
    dry_run: true,
    skip_faulty: false,
    as_gold: admin && params.get("gold") !== null,
    labels_of: "",
    marks_of: "",
    split: "",
  });
  const [labels, setLabels] = useState(false);
  const format = known.data?.formats.find(({ name }) => name === choice.format);
  const unnamed = labels && !choice.labels_of.trim();
  const [sent, setSent] = useState<{ done: number; total: number } | null>(null);
  const stop = useRef<AbortController | null>(null);
  const set = (changes: Partial<UploadChoice>) => setChoice((before) => ({ ...before, ...changes }));

  const send = (chosen: UploadChoice) => {
    if (!file) return;
    const asked = labels ? chosen : { ...chosen, labels_of: "" };
    stop.current = new AbortController();
    setSent({ done: 0, total: file.size });
    create.mutate(
      { file, choice: asked, onProgress: (done, total) => setSent({ done, total }), signal: stop.current.signal },
      { onSettled: () => setSent(null) },
    );
  };
  const stopped = create.error instanceof DOMException && create.error.name === "AbortError";

  return (
    <>
      <Panel
        title="Import a file"
        note="JSON lines, a JSON list, CSV or Parquet, also compressed with gzip, bzip2, xz or zip. Text is kept byte for byte."
      >
        <div className={classes.upload}>
          <DropZone
            label="The file to import"
            hint="Drop a file here"
            file={file}
            disabled={create.isPending}
            onChoose={(chosen) => {
              create.reset();
              setFile(chosen);
            }}
          />
          {known.isPending && <SkeletonLines lines={8} />}
          {known.isError && !known.data && <ErrorState inline error={known.error} retry={() => void known.refetch()} />}
          {known.data && (
            <GroupedChoices
              legend="What is in it?"
              name="format"
              groups={formatGroups(known.data)}
              value={choice.format}
              onChange={(name) => set({ format: name })}
            >
              <p>
                {format
                  ? format.means
                  : "The first row decides. If no format matches, you choose what each column holds."}
              </p>
              {format && <p>Rows have {plain(format.looks_like)}</p>}
              {format?.leaves && <p>Not read: {plain(format.leaves)}</p>}
            </GroupedChoices>
          )}
        </div>
        <div className={classes.switches}>
          <Checkbox
            label="Only check it"
            description="A dry run: you get the same report, but nothing is written."
            checked={choice.dry_run}
            onChange={(event) => set({ dry_run: event.currentTarget.checked })}
          />
          <Checkbox
            label="Skip faulty rows"
            description="Without this, one fault stops the whole import."
            checked={choice.skip_faulty}
            onChange={(event) => set({ skip_faulty: event.currentTarget.checked })}
          />
          {admin && (
            <Checkbox
              label="Make them gold"
              description="Every row must give its first error. Its trace is used to check labelers, never as work."
              checked={choice.as_gold}
              onChange={(event) => set({ as_gold: event.currentTarget.checked })}
            />
          )}
          <Checkbox
            label="Make labels of recorded ratings"
            description="For ratings and first errors in the file. A PRM can learn from the labels, and people can be compared with them."
            checked={labels}
            onChange={(event) => setLabels(event.currentTarget.checked)}
          />
        </div>
        <div className={classes.recorded}>
          <NativeSelect
            label="Split"
            description="For problems whose rows do not give one. Benchmarks are recognised by source, id and file name."
            data={SPLITS}
            value={choice.split}
            onChange={(event) => set({ split: event.currentTarget.value as UploadChoice["split"] })}
          />
          {!labels && (
            <TextInput
              label="Marks by"
              description="A machine’s name. What the rows say about steps becomes its scores. If empty, the format decides."
              placeholder={format?.marks_by || "as the format says"}
              {...limits.ImportIn.marks_of}
              value={choice.marks_of}
              onChange={(event) => set({ marks_of: event.currentTarget.value })}
            />
          )}
          {labels && (
            <TextInput
              label="Labels of"
              description={LABELS_OF}
              required
              {...limits.ImportIn.labels_of}
              value={choice.labels_of}
              onChange={(event) => set({ labels_of: event.currentTarget.value })}
            />
          )}
        </div>
        {!stopped && <ErrorNotice error={otherFault(create.error, [])} title="The upload failed" />}
        {sent && <Sending done={sent.done} total={sent.total} />}
        <FormButtons>
          <Button kind="primary" disabled={!file || unnamed || create.isPending} onClick={() => send(choice)}>
            {create.isPending ? "Sending…" : choice.dry_run ? "Check the file" : "Import"}
          </Button>
          {create.isPending && <Button onClick={() => stop.current?.abort()}>Stop</Button>}
          {unnamed && <span className={classes.quiet}>{LABELS_OF_LACKS}</span>}
          {stopped && <span role="status">Stopped. Nothing was imported.</span>}
        </FormButtons>
      </Panel>
      {create.data && (
        <JobProgress
          key={create.data.id}
          slug={slug}
          id={create.data.id}
          // The form stays as it is, so that the next file is also checked first.
          onImport={(skip_faulty) => send({ ...choice, dry_run: false, skip_faulty })}
        />
      )}
    </>
  );
}

/** Return a sentence of the server's without code marks. */
function plain(text: string): string {
  return text.replaceAll("`", "");
}

function Sending({ done, total }: { done: number; total: number }) {
  return (
    <div className={classes.sending}>
      <ProgressLine label="Upload" done={done} total={total} />
      <span>
        {formatBytes(done)} of {formatBytes(total)} sent ({formatPercent(done, total)})
      </span>
    </div>
  );
}
