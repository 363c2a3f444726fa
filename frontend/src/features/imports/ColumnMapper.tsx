import { Checkbox, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { fieldFault } from "@/api/fieldFaults";
import type { ImportChecked, ImportJob, ImportRows } from "@/api/jobTypes";
import * as limits from "@/api/limits";
import { Button } from "@/ui/Button";
import { FormButtons, SelectField, TextField } from "@/ui/Form";
import { countOf } from "@/ui/format";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./imports.module.css";
import {
  cellText,
  columnChoices,
  MARKS,
  type Mapping,
  missing,
  ROLES,
  tidied,
  WAYS,
  type Whose,
  whoseAsked,
} from "./mapping";
import { PreviewTrace } from "./PreviewTrace";
import { useImportChecked, useImportPreview, useImportRows } from "./queries";
import { LABELS_OF, LABELS_OF_LACKS } from "./uploadChoice";

/** The first rows of a file, and which column is what, for files that no format recognises. */
export function ColumnMapper({ slug, job }: { slug: string; job: ImportJob }) {
  const rows = useImportRows(job.id);
  return (
    <Panel
      title="Columns"
      note="Choose what each column holds. Your choice is kept with the import, and suggested for the next file of this kind."
    >
      {rows.isPending && <SkeletonLines lines={6} />}
      {rows.isError && <ErrorState inline error={rows.error} retry={() => void rows.refetch()} />}
      {rows.data && rows.data.rows.length === 0 && (
        <EmptyState inline title="No rows to show">
          The first rows were deleted, or they are too large to show here.
        </EmptyState>
      )}
      {rows.data && rows.data.rows.length > 0 && <Mapper slug={slug} job={job} rows={rows.data} />}
    </Panel>
  );
}

function Mapper({ slug, job, rows }: { slug: string; job: ImportJob; rows: ImportRows }) {
  const [mapping, setMapping] = useState<Mapping>({ split: "list", marks_are: "hard", ...rows.suggested });
  const [whose, setWhose] = useState<Whose>({
    labels: job.labels_of !== "",
    labelsOf: job.labels_of,
    marksOf: job.marks_of,
  });
  const checked = useImportChecked(slug);
  const navigate = useNavigate();
  const unnamed = whose.labels && !whose.labelsOf.trim();
  const lacking = missing(mapping);
  const preview = useImportPreview(job.id, tidied(mapping), lacking === null);
  const set = (changes: Mapping) => setMapping((before) => ({ ...before, ...changes }));
  const choices = columnChoices(rows);
  const go = (dry_run: boolean) =>
    checked.mutate(
      {
        id: job.id,
        dry_run,
        mapping: tidied(mapping) as ImportChecked["mapping"],
        ...whoseAsked(whose),
      },
      { onSuccess: (made) => void navigate(`/projects/${slug}/imports/${made.id}`) },
    );
  const faults = preview.data?.faults ?? [];
  return (
    <>
      <FirstRows rows={rows} used={Object.values(mapping)} />
      {rows.suggested_by && (
        <p className={classes.outcome}>Taken from import {rows.suggested_by}, whose file had these columns.</p>
      )}
      <div className={classes.roles}>
        {ROLES.slice(0, 2).map((role) => (
          <RoleField key={role.role} {...role} choices={choices} mapping={mapping} set={set} />
        ))}
        <SelectField
          label="What separates the steps"
          choices={WAYS}
          value={mapping.split ?? "list"}
          onChange={(split) => set({ split })}
        />
        {(mapping.split === "custom" || mapping.split === "tag") && (
          <TextField
            label={mapping.split === "tag" ? "The tag" : "How these lines begin"}
            note={mapping.split === "tag" ? "Such as ки" : "{n} stands for a number: Claim {n}:"}
            maxLength={100}
            value={mapping.pattern ?? ""}
            onChange={(pattern) => set({ pattern })}
          />
        )}
        {ROLES.slice(2, 3).map((role) => (
          <RoleField key={role.role} {...role} choices={choices} mapping={mapping} set={set} />
        ))}
        {mapping.marks && (
          <>
            <SelectField
              label="How it says so"
              choices={MARKS}
              value={mapping.marks_are ?? "hard"}
              onChange={(marks_are) => set({ marks_are })}
            />
            <WhoseFields whose={whose} change={setWhose} fault={(name) => fieldFault(checked.error, name)} />
          </>
        )}
        {ROLES.slice(3).map((role) => (
          <RoleField key={role.role} {...role} choices={choices} mapping={mapping} set={set} />
        ))}
      </div>
      <section className={classes.mapped} aria-label="The first traces" aria-busy={preview.isFetching}>
        <h3>Preview of the first traces</h3>
        {lacking && <p className={classes.quiet}>{lacking}</p>}
        {!lacking && preview.isPending && <SkeletonLines lines={4} />}
        {!lacking && <ErrorNotice error={preview.error} title="The file cannot be read this way" />}
        {!lacking && faults.length > 0 && (
          <Notice
            tone="warn"
            title={`${countOf(faults.length, "fault")} in the first ${countOf(rows.rows.length, "row")}`}
          >
            <ul className={classes.remarks}>
              {faults.slice(0, 5).map((fault) => (
                <li key={`${fault.line} ${fault.field} ${fault.found}`}>
                  Line {fault.line}, {fault.field || "the row"}: found {fault.found}. {fault.do}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        {!lacking &&
          preview.data?.traces
            .slice(0, 3)
            .map((trace) => <PreviewTrace key={`${trace.line} ${trace.step_count} ${trace.steps[0]}`} trace={trace} />)}
      </section>
      <ErrorNotice error={checked.error} title="The file was not imported" />
      <FormButtons>
        <Button kind="primary" disabled={lacking !== null || unnamed || checked.isPending} onClick={() => go(true)}>
          Check the whole file
        </Button>
        <Button disabled={lacking !== null || unnamed || checked.isPending} onClick={() => go(false)}>
          Import it
        </Button>
        {unnamed && <span className={classes.quiet}>{LABELS_OF_LACKS}</span>}
      </FormButtons>
    </>
  );
}

interface WhoseFieldsProps {
  whose: Whose;
  change: (whose: Whose) => void;
  fault: (name: string) => string | undefined;
}

/** Whether the ratings are labels by their raters, or marks by a machine. */
function WhoseFields({ whose, change, fault }: WhoseFieldsProps) {
  return (
    <>
      <Checkbox
        label="Make labels of recorded ratings"
        description="A PRM can learn from them. Shares cannot become labels, but they can become marks."
        checked={whose.labels}
        onChange={(event) => change({ ...whose, labels: event.currentTarget.checked })}
      />
      {whose.labels ? (
        <TextInput
          label="Labels of"
          description={LABELS_OF}
          inputWrapperOrder={["label", "input", "description", "error"]}
          required
          {...limits.ImportCheckedIn.labels_of}
          value={whose.labelsOf}
          error={fault("labels_of")}
          onChange={(event) => change({ ...whose, labelsOf: event.currentTarget.value })}
        />
      ) : (
        <TextInput
          label="Marks by"
          description="A machine’s name. If empty, the ratings are recorded with the traces."
          inputWrapperOrder={["label", "input", "description", "error"]}
          {...limits.ImportCheckedIn.marks_of}
          value={whose.marksOf}
          error={fault("marks_of")}
          onChange={(event) => change({ ...whose, marksOf: event.currentTarget.value })}
        />
      )}
    </>
  );
}

interface RoleFieldProps {
  role: keyof Mapping;
  label: string;
  note?: string;
  choices: { value: string; label: string }[];
  mapping: Mapping;
  set: (changes: Mapping) => void;
}

function RoleField({ role, label, note, choices, mapping, set }: RoleFieldProps) {
  return (
    <SelectField
      label={label}
      note={note}
      choices={choices}
      value={mapping[role] ?? ""}
      onChange={(column) => set({ [role]: column })}
    />
  );
}

function FirstRows({ rows, used }: { rows: ImportRows; used: string[] }) {
  const columns = rows.columns.filter(({ name }) => rows.rows.some(({ row }) => name in row));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={classes.rows} aria-label="The first rows of the file" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, kinds }) => (
              <th key={name} scope="col" data-used={used.includes(name) || undefined}>
                {name}
                <small>{kinds.join(", ")}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.rows.slice(0, 5).map(({ line, row }) => (
            <tr key={line}>
              {columns.map(({ name }) => (
                <td key={name}>
                  <div>{cellText(row[name])}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
