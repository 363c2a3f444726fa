import { Checkbox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMemo } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { useExportFormats } from "@/api/exportFormats";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useHastyLabels } from "@/api/haste";
import type { ExportFormat, ExportFormats } from "@/api/jobTypes";
import { linkKey, useKeptForm } from "@/api/keptForm";
import type { FinishReason } from "@/api/types";
import { Button, ButtonLink } from "@/ui/Button";
import { Form, FormButtons, FormRow, GroupedChoices, SelectField, TextField } from "@/ui/Form";
import { formatCount } from "@/ui/format";
import { HastyLabels } from "@/ui/HastyLabels";
import { ErrorNotice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { PeriodFields } from "@/ui/PeriodFields";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { FINISH_WORDS } from "@/ui/trace/words";
import {
  AGREEMENTS,
  aboutWords,
  askedSwitches,
  EXPORT_LINK,
  type ExportForm,
  exportFrom,
  FINISH_REASONS,
  fileChoices,
  formatGroups,
  newExport,
  SPLITS,
  switchValue,
  wouldHold,
} from "./exportForm";
import classes from "./exports.module.css";
import {
  type ExportQuestion,
  useCreateExport,
  useExportPreview,
  useLabelersToExport,
  useLabelSorts,
  useRoundsToExport,
  useSubjectsToExport,
} from "./queries";

type SetForm = (changes: Partial<ExportForm>) => void;

export function NewExportPage() {
  const known = useExportFormats();
  const first = known.data?.formats[0];
  return (
    <>
      <PageHeading title="New export" />
      {known.isPending && <SkeletonLines lines={8} />}
      {known.isError && !known.data && <ErrorState inline error={known.error} retry={() => void known.refetch()} />}
      {known.data && first && <NewExportForm known={known.data} first={first} />}
    </>
  );
}

function NewExportForm({ known, first }: { known: ExportFormats; first: ExportFormat }) {
  const { slug = "" } = useParams();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const create = useCreateExport(slug);
  const sorts = useLabelSorts(slug);
  const link = linkKey(params, EXPORT_LINK);
  const kept = useKeptForm(`export:${slug}:${link}`, () => exportFrom(params, first));
  const { form } = kept;
  const set: SetForm = kept.set;
  const format = known.formats.find(({ name }) => name === form.format) ?? first;
  const switches = askedSwitches(format);
  const files = fileChoices(known);
  const submit = () =>
    kept.sent(
      create.mutateAsync(newExport(form, format)),
      (job) => void navigate(`/projects/${slug}/exports/${job.id}`),
    );
  return (
    <Form onSubmit={submit} label="New export" left={kept}>
      <ErrorNotice error={otherFault(create.error, ["container", "gzip", ...switches.map(({ name }) => name)])} />
      <GroupedChoices
        legend="Format"
        name="format"
        groups={formatGroups(known)}
        value={format.name}
        onChange={(name) => set({ format: name })}
      >
        <p>{format.means}</p>
        <p>Leaves out: {format.loses}</p>
        {format.companions.map(({ name, means }) => (
          <p key={name}>
            Comes with <code>{name}</code>: {means}
          </p>
        ))}
      </GroupedChoices>
      <WhichLabels slug={slug} form={form} set={set} />
      {format.switches.some(({ name }) => name === "hasty") && <Hasty slug={slug} form={form} set={set} />}
      <FormRow>
        {switches.map((asked) => (
          <SelectField
            key={asked.name}
            label={asked.title}
            note={aboutWords(asked.name, sorts.data)}
            choices={asked.choices.map(({ value, means }) => ({ value, label: means }))}
            value={switchValue(form, asked)}
            error={fieldFault(create.error, asked.name)}
            onChange={(value) => set({ switches: { ...form.switches, [asked.name]: value } })}
          />
        ))}
      </FormRow>
      <FormRow>
        <SelectField
          label="File"
          note={files.find(({ value }) => value === form.file)?.means}
          choices={files}
          value={form.file}
          error={fieldFault(create.error, "container") ?? fieldFault(create.error, "gzip")}
          onChange={(file) => set({ file })}
        />
      </FormRow>
      <ForTheManifest known={known} form={form} set={set} />
      <WouldHold slug={slug} form={form} format={format} />
      <FormButtons>
        <Button kind="primary" type="submit" disabled={create.isPending}>
          {create.isPending ? "Asking…" : "Export"}
        </Button>
        <ButtonLink to={`/projects/${slug}/exports`} onClick={() => kept.forget()}>
          Cancel
        </ButtonLink>
      </FormButtons>
    </Form>
  );
}

/** How many labels the file would have with the current form. Nothing while a field has a fault: the answer says so. */
function WouldHold({ slug, form, format }: { slug: string; form: ExportForm; format: ExportFormat }) {
  const question = useMemo((): ExportQuestion => {
    const { filters, switches } = newExport(form, format);
    return { format: format.name, filters, switches };
  }, [form, format]);
  const [asked] = useDebouncedValue(question, 350);
  const preview = useExportPreview(slug, asked);
  return (
    <p role="status" className={classes.quiet}>
      {preview.data && !preview.isError && wouldHold(preview.data)}
    </p>
  );
}

/** Hasty labels of the ticked rounds, or of all if none is ticked. */
function Hasty({ slug, form, set }: { slug: string; form: ExportForm; set: SetForm }) {
  const found = useHastyLabels(slug);
  const chosen = (found.data?.rounds ?? []).filter(
    ({ round }) => form.rounds.length === 0 || form.rounds.includes(round),
  );
  return (
    <HastyLabels
      hasty={chosen.reduce((sum, { hasty }) => sum + hasty, 0)}
      without={form.switches.hasty === "exclude"}
      leave={(out) => set({ switches: { ...form.switches, hasty: out ? "exclude" : "include" } })}
    />
  );
}

function WhichLabels({ slug, form, set }: { slug: string; form: ExportForm; set: SetForm }) {
  const rounds = useRoundsToExport(slug);
  return (
    <>
      <Checkbox.Group
        label="Rounds"
        description={rounds.rows?.length ? "None ticked: all of them." : null}
        value={form.rounds.map(String)}
        onChange={(values) => set({ rounds: values.map(Number) })}
      >
        <div className={classes.ticks}>
          {rounds.rows?.map((round) => (
            <Checkbox key={round.id} value={String(round.id)} label={round.name || `Round ${round.number}`} />
          ))}
          {rounds.rows?.length === 0 && <span className={classes.quiet}>There are no rounds yet.</span>}
        </div>
      </Checkbox.Group>
      <Checkbox.Group
        label="How labels ended"
        description="None ticked: any way."
        value={form.finish}
        onChange={(values) => set({ finish: values as FinishReason[] })}
      >
        <div className={classes.ticks}>
          {FINISH_REASONS.map((reason) => (
            <Checkbox key={reason} value={reason} label={FINISH_WORDS[reason]} />
          ))}
        </div>
      </Checkbox.Group>
      <FormRow>
        <SelectField label="Split" choices={SPLITS} value={form.split} onChange={(split) => set({ split })} />
        <PeriodFields name="Submitted on" since={form.since} until={form.until} onChange={set} />
      </FormRow>
      <FormRow>
        <SelectField
          label="Tasks"
          note="By whether the task’s labels name the same first error."
          choices={AGREEMENTS}
          value={form.agreement}
          onChange={(agreement) => set({ agreement })}
        />
      </FormRow>
      <OfSubjects slug={slug} form={form} set={set} />
      <OfLabelers slug={slug} form={form} set={set} />
    </>
  );
}

function OfSubjects({ slug, form, set }: { slug: string; form: ExportForm; set: SetForm }) {
  const subjects = useSubjectsToExport(slug);
  const { values = [], more = 0 } = subjects.data ?? {};
  if (subjects.isError) return <ErrorNotice error={subjects.error} title="The subjects could not be loaded" />;
  if (values.length < 2) return null;
  return (
    <details className={classes.manifestFields}>
      <summary>Only of some subjects{form.subjects.length > 0 && `: ${form.subjects.length} ticked`}</summary>
      <Checkbox.Group
        label="Subjects"
        description="None ticked: all of them."
        value={form.subjects}
        onChange={(chosen) => set({ subjects: chosen })}
      >
        <div className={classes.ticks}>
          {values.map(({ value }) => (
            <Checkbox key={value} value={value} label={value} />
          ))}
        </div>
      </Checkbox.Group>
      {more > 0 && (
        <p className={classes.quiet}>
          These {formatCount(values.length)} have the most traces. {formatCount(more)} more are available through the
          API.
        </p>
      )}
    </details>
  );
}

function OfLabelers({ slug, form, set }: { slug: string; form: ExportForm; set: SetForm }) {
  const labelers = useLabelersToExport(slug);
  const rows = labelers.data?.results ?? [];
  if (labelers.isError) return <ErrorNotice error={labelers.error} title="The labelers could not be loaded" />;
  if (rows.length < 2) return null;
  return (
    <details className={classes.manifestFields}>
      <summary>Only of some labelers{form.labelers.length > 0 && `: ${form.labelers.length} ticked`}</summary>
      <Checkbox.Group
        label="Labelers"
        description="None ticked: all of them."
        value={form.labelers.map(String)}
        onChange={(values) => set({ labelers: values.map(Number) })}
      >
        <div className={classes.ticks}>
          {rows.map(({ id, display_name }) => (
            <Checkbox key={id} value={String(id)} label={display_name} />
          ))}
        </div>
      </Checkbox.Group>
    </details>
  );
}

function ForTheManifest({ known, form, set }: { known: ExportFormats; form: ExportForm; set: SetForm }) {
  return (
    <details className={classes.manifestFields}>
      <summary>For the manifest: models and statements</summary>
      <p className={classes.quiet}>
        These are stored in the manifest. Fields that you leave empty are filled in where the answer is known
        (generators, PRMs, who labeled), and otherwise recorded as “unknown”.
      </p>
      <FormRow>
        {known.roles.map(({ name, title }) => (
          <TextField
            key={name}
            label={title}
            placeholder="unknown"
            value={form.roles[name] ?? ""}
            onChange={(said) => set({ roles: { ...form.roles, [name]: said } })}
          />
        ))}
      </FormRow>
      {known.statements.map(({ name, title }) => (
        <TextField
          key={name}
          label={title}
          placeholder="unknown"
          value={form.statements[name] ?? ""}
          onChange={(said) => set({ statements: { ...form.statements, [name]: said } })}
        />
      ))}
    </details>
  );
}
