import { NumberInput, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { newId } from "@/api/journal";
import { linkKey, useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import type { Project, Round, RoundSource } from "@/api/projectTypes";
import { Button, ButtonLink } from "@/ui/Button";
import { Choices, Form, FormButtons, FormRow } from "@/ui/Form";
import { ErrorNotice } from "@/ui/Notice";
import { plainLike } from "./likeRound";
import { MachineFields, ShownMarks, useMachines } from "./MachineFields";
import { ProtocolChoices } from "./ProtocolChoices";
import { QueueFields } from "./QueueFields";
import { useOpenRound, usePreviewRound } from "./queries";
import { RoundPreviewPanel } from "./RoundPreviewPanel";
import {
  drawnByMachine,
  emptyRoundForm,
  newRound,
  prefilled,
  projectOverlap,
  type RoundForm,
  roundChoice,
} from "./roundForm";
import classes from "./rounds.module.css";
import { TraceFilterFields } from "./TraceFilterFields";

const SOURCES: { value: RoundSource; name: string; means: string }[] = [
  { value: "all", name: "All traces", means: "Every trace of the project, whether it is labeled or not." },
  { value: "filter", name: "A filter", means: "Only traces that match the fields you fill in." },
  {
    value: "sample",
    name: "A random sample",
    means: "A sample of the matching traces. The same seed draws the same sample.",
  },
  {
    value: "audit",
    name: "An audit of machine labels",
    means: "Randomly drawn traces that a source marked, kept apart. It measures how often the source is right.",
  },
  {
    value: "disagreement",
    name: "Disagreements",
    means:
      "Traces where a source and labelers, or two sources, differ: the largest differences first, plus a control arm.",
  },
];

/** The fields that show their own fault. */
const SHOWN = [
  "by_machine",
  "machine",
  "sample_size",
  "seed",
  "overlap",
  "overlap_most",
  "overlap_needed",
  "priority",
  "name",
];

/**
 * A round of all traces, of a filter, or of a random sample. Its tasks are served at once; very many, after a minute.
 */
export function PlainRoundForm({ project, like }: { project: Project; like?: Round | undefined }) {
  const navigate = useNavigate();
  const open = useOpenRound(project.slug);
  const [params] = useSearchParams();
  const link = linkKey(params, [...new Set(params.keys())].filter((name) => name !== "kind" && name !== "like").sort());
  const kept = useKeptForm(`round:plain:${project.slug}:${like?.id ?? ""}:${link}`, () => {
    const empty = prefilled(emptyRoundForm(projectOverlap(project)), params);
    return like ? plainLike(empty, like) : empty;
  });
  const machines = useMachines(project.slug);
  const { form } = kept;
  const set = (changes: Partial<RoundForm>) => kept.set(changes);
  const [asked] = useDebouncedValue(form, 350);
  const preview = usePreviewRound(project.slug, roundChoice(asked));
  const [clientKey] = useState(newId);
  const request = newRound(form, clientKey);
  const number = (name: "sample_size" | "seed" | "priority") => ({
    name,
    allowDecimal: false,
    value: form[name],
    error: fieldFault(open.error, name),
    onChange: (value: number | string) => set({ [name]: value === "" ? "" : Number(value) }),
  });
  const submit = () =>
    request &&
    !open.isPending &&
    kept.sent(open.mutateAsync(request), ({ id }) => void navigate(`/projects/${project.slug}/rounds/${id}`));
  return (
    <div className={classes.columns}>
      <Form onSubmit={submit} label="New round" byButtonOnly left={kept}>
        <ErrorNotice error={otherFault(open.error, SHOWN)} />
        <TextInput
          label="Name (optional)"
          name="name"
          placeholder="Pilot, wrong answers"
          {...limits.OpenRoundIn.name}
          value={form.name}
          error={fieldFault(open.error, "name")}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Choices
          legend="Which traces"
          name="source"
          choices={SOURCES}
          value={form.source}
          onChange={(source) => set({ source })}
        />
        {drawnByMachine(form) && (
          <MachineFields slug={project.slug} form={form} set={set} machines={machines} error={open.error} />
        )}
        {(form.source === "sample" || drawnByMachine(form)) && (
          <FormRow>
            <NumberInput label="How many" {...limits.OpenRoundIn.sample_size} {...number("sample_size")} />
            <NumberInput label="Seed" {...limits.OpenRoundIn.seed} description="Any number." {...number("seed")} />
          </FormRow>
        )}
        {form.source !== "all" && <TraceFilterFields slug={project.slug} form={form} set={set} />}
        <ProtocolChoices value={form.protocol} onChange={(protocol) => set({ protocol })} />
        {form.source !== "audit" && <ShownMarks form={form} set={set} machines={machines} error={open.error} />}
        <QueueFields form={form} set={set} error={open.error} number={number} />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={!request || open.isPending || preview.data?.traces === 0}>
            {open.isPending ? "Opening…" : "Open the round"}
          </Button>
          <ButtonLink to={`/projects/${project.slug}/rounds`} onClick={() => kept.forget()}>
            Cancel
          </ButtonLink>
        </FormButtons>
      </Form>
      <RoundPreviewPanel slug={project.slug} preview={preview} overlap={form.overlap === "" ? null : form.overlap} />
    </div>
  );
}
