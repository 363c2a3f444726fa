import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useParams } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { fittingFields, useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import { inPercent } from "@/api/percent";
import { useProject } from "@/api/projects";
import type { AfterError, AnswerKind, Project } from "@/api/projectTypes";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Form, FormButtons, FormRow, FormSection } from "@/ui/Form";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { OverlapFields } from "@/ui/OverlapFields";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { MistakeFields } from "./MistakeFields";
import { QualityFields } from "./QualityFields";
import { type ProjectSettings, useChangeProject } from "./queries";

export function SettingsPage() {
  const { slug = "" } = useParams();
  const project = useProject(slug);
  return (
    <>
      <PageHeading title="Settings" />
      {project.isError && !project.data && (
        <ErrorState inline error={project.error} retry={() => void project.refetch()} />
      )}
      {project.isPending && <SkeletonLines lines={8} />}
      {project.data && (
        <>
          <SettingsForm key={slug} project={project.data} />
          <ArchivePanel project={project.data} />
        </>
      )}
    </>
  );
}

type FormValues = Omit<ProjectSettings, "status">;
const FIELDS: (keyof FormValues)[] = [
  "name",
  "description",
  "default_overlap",
  "default_overlap_most",
  "default_overlap_needed",
  "lease_minutes",
  "revise_window_hours",
  "reference_solution",
  "reveal_scores",
  "answer_kind",
  "answer_tolerance",
  "session_traces",
  "rated_unit",
  "stalled_hours",
  "hourly_rate",
  "currency",
  "gold_per_round",
  "screening",
  "screening_tasks",
  "screening_share",
  "screening_retries",
  "screening_feedback",
  "trains_at_close",
];

const ANSWER_KINDS: { value: AnswerKind; label: string }[] = [
  { value: "maths", label: "as mathematics: by value" },
  { value: "exact", label: "character by character" },
  { value: "choice", label: "as options: (B), B., Choice_B" },
  { value: "numeric", label: "as numbers, within a tolerance" },
  { value: "none", label: "never: all traces stay ungraded" },
];

const UNITS: { value: Project["rated_unit"]; label: string }[] = [
  { value: "message", label: "each message, with its calls" },
  { value: "call", label: "each call of a tool" },
];

const SESSIONS = [
  { value: "0", label: "in queue order" },
  ...[2, 3, 4, 5].map((number) => ({ value: String(number), label: `${number} traces` })),
];

/** Return the fields to send: an emptied rate becomes null. */
function sent(edited: Partial<FormValues>): Partial<FormValues> {
  return edited.hourly_rate?.trim() === "" ? { ...edited, hourly_rate: null } : edited;
}

/** Return what was edited after these fields were sent. */
function without(edited: Partial<FormValues>, saved: Partial<FormValues>): Partial<FormValues> {
  return Object.fromEntries(
    Object.entries(edited).filter(([name, value]) => value !== saved[name as keyof FormValues]),
  );
}

function SettingsForm({ project }: { project: Project }) {
  const change = useChangeProject(project.slug);
  // Keep only the edited fields: others may change the rest in the meantime.
  const kept = useKeptForm(`settings:${project.slug}`, () => ({ edited: {} as Partial<FormValues> }));
  const edited: Partial<FormValues> = fittingFields(project, kept.form.edited);
  const [begun, setBegun] = useState(0);
  const left = {
    cameBack: kept.cameBack,
    startOver: () => {
      kept.startOver();
      setBegun(begun + 1);
    },
  };
  const save = () =>
    kept.sent(change.mutateAsync(sent(edited)), () => kept.set((now) => ({ edited: without(now.edited, edited) })));
  const value = <K extends keyof FormValues>(name: K): FormValues[K] => edited[name] ?? project[name];
  const set = (changes: Partial<FormValues>) => kept.set((before) => ({ edited: { ...before.edited, ...changes } }));
  const fault = (name: string) => fieldFault(change.error, name);
  const number = (name: "lease_minutes" | "revise_window_hours" | "stalled_hours") => ({
    name,
    allowDecimal: false,
    allowNegative: false,
    value: value(name),
    error: fault(name),
    onChange: (next: number | string) => set({ [name]: Number(next) }),
  });
  return (
    <Panel>
      <Form label="Project settings" onSubmit={save} left={left}>
        <ErrorNotice error={otherFault(change.error, FIELDS)} />
        <TextInput
          label="Name"
          name="name"
          required
          withAsterisk={false}
          {...limits.ChangeProjectIn.name}
          value={value("name")}
          error={fault("name")}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Textarea
          label="Description"
          name="description"
          autosize
          minRows={3}
          maxRows={12}
          {...limits.ChangeProjectIn.description}
          value={value("description")}
          error={fault("description")}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <OverlapFields
          note="For new rounds. Each round can choose its own."
          overlap={{
            base: value("default_overlap"),
            most: value("default_overlap_most"),
            needed: value("default_overlap_needed"),
          }}
          fault={(name) => fault(`default_${name}`)}
          onChange={({ base, most, needed }) =>
            set({
              default_overlap: Number(base),
              default_overlap_most: Number(most),
              default_overlap_needed: Number(needed),
            })
          }
        />
        <FormRow>
          <NumberInput
            label="Lease, minutes"
            description="How long a task is held for an inactive labeler."
            {...limits.ChangeProjectIn.lease_minutes}
            {...number("lease_minutes")}
          />
          <NumberInput
            label="Revise window, hours"
            description="How long labelers may revise their own labels."
            {...limits.ChangeProjectIn.revise_window_hours}
            {...number("revise_window_hours")}
          />
        </FormRow>
        <FormRow>
          <NumberInput
            label="Stalled after, hours"
            description="After this long without a claim in an open round, you get a notice."
            {...limits.ChangeProjectIn.stalled_hours}
            {...number("stalled_hours")}
          />
          <NativeSelect
            label="Traces of a problem"
            description="How many a labeler gets in a row. At most one of them is labeled by several labelers."
            name="session_traces"
            data={SESSIONS}
            value={String(value("session_traces"))}
            error={fault("session_traces")}
            onChange={(event) => set({ session_traces: Number(event.currentTarget.value) })}
          />
        </FormRow>
        <FormRow>
          <TextInput
            label="Hourly rate"
            description="For active time. Turns time into cost."
            name="hourly_rate"
            inputMode="decimal"
            placeholder="not set"
            value={value("hourly_rate") ?? ""}
            error={fault("hourly_rate")}
            onChange={(event) => set({ hourly_rate: event.currentTarget.value })}
          />
          <TextInput
            label="Currency"
            description="Three letters, such as EUR."
            name="currency"
            maxLength={3}
            value={value("currency")}
            error={fault("currency")}
            onChange={(event) => set({ currency: event.currentTarget.value.toUpperCase() })}
          />
        </FormRow>
        <Switch
          label="Labelers may look at the reference solution"
          description="Behind a click. Every look is recorded on the label."
          name="reference_solution"
          checked={value("reference_solution")}
          onChange={(event) => set({ reference_solution: event.currentTarget.checked })}
        />
        <Switch
          label="Labelers may see what the model thought, after they submitted"
          description="Never before. Each look is recorded, and a label changed after it is marked."
          name="reveal_scores"
          checked={value("reveal_scores")}
          onChange={(event) => set({ reveal_scores: event.currentTarget.checked })}
        />
        <FormRow>
          <NativeSelect
            label="Answers are compared"
            description="When a trace’s outcome is graded."
            name="answer_kind"
            data={ANSWER_KINDS}
            value={value("answer_kind")}
            error={fault("answer_kind")}
            onChange={(event) => set({ answer_kind: event.currentTarget.value as AnswerKind })}
          />
          {value("answer_kind") === "numeric" && (
            <NumberInput
              label="Tolerance, percent"
              description="Of the true value."
              {...inPercent(limits.ChangeProjectIn.answer_tolerance)}
              value={value("answer_tolerance") * 100}
              error={fault("answer_tolerance")}
              onChange={(percent) => set({ answer_tolerance: Number(percent) / 100 })}
            />
          )}
        </FormRow>
        <NativeSelect
          label="What is rated in an agent’s run"
          description="For runs imported from now on. Existing runs keep their units."
          name="rated_unit"
          data={UNITS}
          value={value("rated_unit")}
          error={fault("rated_unit")}
          onChange={(event) => set({ rated_unit: event.currentTarget.value as Project["rated_unit"] })}
        />
        <QualityFields value={value} set={set} fault={fault} />
        <FormSection title="Training">
          <Switch
            label="Train on all labels when a round closes"
            description="A PRM learns from all closed rounds and imported labels, with the settings of the newest training (at first: a stacked head). Home shows its learning curve. It takes a worker some minutes, or hours if the whole base learns. One training runs at a time. Nothing is promoted."
            name="trains_at_close"
            checked={value("trains_at_close")}
            onChange={(event) => set({ trains_at_close: event.currentTarget.checked })}
          />
        </FormSection>
        {value("after_error") && (
          <MistakeFields
            key={begun}
            slug={project.slug}
            value={value("after_error") as AfterError}
            onChange={(after_error) => set({ after_error })}
          />
        )}
        <FormButtons>
          <Button kind="primary" type="submit" disabled={change.isPending || Object.keys(edited).length === 0}>
            {change.isPending ? "Saving…" : "Save"}
          </Button>
          {change.isSuccess && Object.keys(edited).length === 0 && <span role="status">Saved.</span>}
        </FormButtons>
      </Form>
    </Panel>
  );
}

function ArchivePanel({ project }: { project: Project }) {
  const change = useChangeProject(project.slug);
  const [asking, setAsking] = useState(false);
  const archived = project.status === "archived";
  return (
    <Panel
      title={archived ? "This project is archived" : "Archive"}
      note={
        archived
          ? "Activate it to label and to make changes again. Its rounds are as they were."
          : "For a finished project. Labeling stops. You can still read and export everything, and you can undo this."
      }
    >
      {change.isError && !asking && <Notice tone="bad">{change.error.message}</Notice>}
      <Button onClick={() => setAsking(true)} kind={archived ? "default" : "danger"}>
        {archived ? "Activate again" : "Archive the project"}
      </Button>
      <ConfirmDialog
        opened={asking}
        title={archived ? `Activate ${project.name}?` : `Archive ${project.name}?`}
        confirm={archived ? "Activate" : "Archive"}
        danger={!archived}
        onConfirm={() => change.mutateAsync({ status: archived ? "active" : "archived" })}
        onClose={() => setAsking(false)}
      >
        {archived
          ? "Labelers can claim tasks in the open rounds again at once."
          : "Labelers can no longer claim tasks. Unfinished labels are kept as drafts."}
      </ConfirmDialog>
    </Panel>
  );
}
