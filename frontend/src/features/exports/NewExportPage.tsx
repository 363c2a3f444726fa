import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import type { ExportFormat } from "@/api/jobTypes";
import type { FinishReason } from "@/api/types";
import { Button, ButtonLink } from "@/ui/Button";
import { type Choice, Choices, Form, FormButtons, FormRow } from "@/ui/Form";
import { ErrorNotice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { FINISH_WORDS } from "@/ui/trace/words";
import { EMPTY_EXPORT, type ExportForm, FINISH_REASONS, newExport, ROLES, STATEMENTS, SWITCHES } from "./exportForm";
import classes from "./exports.module.css";
import { useCreateExport, useRoundsToExport } from "./queries";

const FORMATS: Choice<ExportFormat>[] = [
  { value: "prm800k", name: "PRM800K", means: "OpenAI's rows: every completion, rating, time and flag of each label." },
  { value: "neutral", name: "Traces", means: "One trace a line with its ratings; what is imported as Traces." },
];

type SetForm = (changes: Partial<ExportForm>) => void;

export function NewExportPage() {
  const { slug = "" } = useParams();
  const navigate = useNavigate();
  const create = useCreateExport(slug);
  const [form, setForm] = useState(EMPTY_EXPORT);
  const set: SetForm = (changes) => setForm((before) => ({ ...before, ...changes }));
  const submit = () =>
    create.mutate(newExport(form), { onSuccess: (job) => void navigate(`/projects/${slug}/exports/${job.id}`) });
  return (
    <>
      <PageHeading title="New export" />
      <Form onSubmit={submit} label="New export">
        <ErrorNotice
          error={otherFault(
            create.error,
            SWITCHES.map(({ name }) => name),
          )}
        />
        <Choices
          legend="Format"
          name="format"
          choices={FORMATS}
          value={form.format}
          onChange={(format) => set({ format })}
        />
        <WhichLabels slug={slug} form={form} set={set} />
        <FormRow>
          {SWITCHES.filter((choice) => choice.formats.includes(form.format)).map((choice) => (
            <NativeSelect
              key={choice.name}
              label={choice.label}
              data={choice.values}
              value={form.switches[choice.name] ?? choice.values[0]?.value ?? ""}
              error={fieldFault(create.error, choice.name)}
              onChange={(event) => set({ switches: { ...form.switches, [choice.name]: event.currentTarget.value } })}
            />
          ))}
        </FormRow>
        <Checkbox
          label="Compress with gzip"
          checked={form.gzip}
          onChange={(event) => set({ gzip: event.currentTarget.checked })}
        />
        <ForTheManifest form={form} set={set} />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={create.isPending}>
            {create.isPending ? "Asking…" : "Export"}
          </Button>
          <ButtonLink to={`/projects/${slug}/exports`}>Cancel</ButtonLink>
        </FormButtons>
      </Form>
    </>
  );
}

function WhichLabels({ slug, form, set }: { slug: string; form: ExportForm; set: SetForm }) {
  const rounds = useRoundsToExport(slug);
  return (
    <>
      <Checkbox.Group
        label="Rounds"
        description="None ticked: all of them."
        value={form.rounds.map(String)}
        onChange={(values) => set({ rounds: values.map(Number) })}
      >
        <div className={classes.ticks}>
          {rounds.rows?.map((round) => (
            <Checkbox key={round.id} value={String(round.id)} label={round.name || `Round ${round.number}`} />
          ))}
          {rounds.rows?.length === 0 && <span className={classes.quiet}>There is no round yet.</span>}
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
        <NativeSelect
          label="Split"
          data={[
            { value: "", label: "both" },
            { value: "train", label: "train" },
            { value: "held_out", label: "held out" },
          ]}
          value={form.split}
          onChange={(event) => set({ split: event.currentTarget.value as ExportForm["split"] })}
        />
      </FormRow>
    </>
  );
}

function ForTheManifest({ form, set }: { form: ExportForm; set: SetForm }) {
  return (
    <details className={classes.manifestFields}>
      <summary>For the manifest: models and statements</summary>
      <p className={classes.quiet}>The file ships with these. What you leave empty is recorded as “unknown”.</p>
      <FormRow>
        {ROLES.map(({ name, label }) => (
          <TextInput
            key={name}
            label={label}
            placeholder="unknown"
            value={form.roles[name] ?? ""}
            onChange={(event) => set({ roles: { ...form.roles, [name]: event.currentTarget.value } })}
          />
        ))}
      </FormRow>
      {STATEMENTS.map(({ name, label }) => (
        <TextInput
          key={name}
          label={label}
          placeholder="unknown"
          value={form.statements[name] ?? ""}
          onChange={(event) => set({ statements: { ...form.statements, [name]: event.currentTarget.value } })}
        />
      ))}
    </details>
  );
}
