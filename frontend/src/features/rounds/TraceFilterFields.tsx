import { Checkbox, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useId } from "react";
import type { Outcome } from "@/api/types";
import { Button } from "@/ui/Button";
import { FormRow } from "@/ui/Form";
import { countOf } from "@/ui/format";
import { type Split, splitChoices } from "@/ui/splitWords";
import { OUTCOME_WORDS } from "@/ui/trace/words";
import { type FilterForm, type FirstError, stepsContradict } from "./filterForm";
import { useFacetsOfTraces } from "./queries";

interface TraceFilterFieldsProps {
  slug: string;
  form: FilterForm;
  set: (changes: Partial<FilterForm>) => void;
  /** Leave out the outcome: the round itself looks for wrong answers. */
  anyOutcome?: boolean;
}

const FIRST_ERROR_CHOICES = [
  { value: "", label: "any" },
  { value: "none", label: "no error" },
  { value: "some", label: "at a step" },
  { value: "differ", label: "labels differ" },
];
type TypedFilter = "generator" | "subject" | "level" | "traceSource";
const FACET_OF: Record<TypedFilter, string> = {
  generator: "generator",
  subject: "subject",
  level: "level",
  traceSource: "source",
};

/** Which traces to take. An empty field sets no condition. */
export function TraceFilterFields({ slug, form, set, anyOutcome }: TraceFilterFieldsProps) {
  const id = useId();
  const text = (name: TypedFilter) => ({
    placeholder: "any",
    list: `${id}-${name}`,
    value: form[name],
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  });
  const number = (name: "steps_min" | "steps_max") => ({
    placeholder: "any",
    min: 1,
    allowDecimal: false,
    value: form[name],
    onChange: (value: number | string) => set({ [name]: value === "" ? "" : Number(value) }),
  });
  return (
    <>
      {form.ids.length > 0 && (
        <p style={{ margin: 0 }}>
          {countOf(form.ids.length, "picked trace")}{" "}
          <Button kind="plain" onClick={() => set({ ids: [] })}>
            Take all that fit instead
          </Button>
        </p>
      )}
      <FormRow>
        {!anyOutcome && (
          <NativeSelect
            label="Outcome"
            value={form.outcome}
            data={[
              { value: "", label: "any" },
              ...Object.entries(OUTCOME_WORDS).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => set({ outcome: event.currentTarget.value as Outcome | "" })}
          />
        )}
        <TextInput label="Generator" {...text("generator")} />
        <TextInput label="Source" {...text("traceSource")} />
      </FormRow>
      {!anyOutcome && (
        <NativeSelect
          label="Split"
          description="No training learns from held-out problems. Their labels are for measuring only."
          value={form.split}
          data={splitChoices("any")}
          onChange={(event) => set({ split: event.currentTarget.value as Split | "" })}
        />
      )}
      <FormRow>
        <TextInput label="Subject" {...text("subject")} />
        <TextInput label="Level" {...text("level")} />
      </FormRow>
      <Suggestions slug={slug} id={id} />
      <FormRow>
        <NumberInput label="Steps, at least" {...number("steps_min")} />
        <NumberInput
          label="Steps, at most"
          error={stepsContradict(form) ? "Less than the minimum." : undefined}
          {...number("steps_max")}
        />
      </FormRow>
      <SaidFields slug={slug} form={form} set={set} />
      <Checkbox
        label="Only traces without labels"
        checked={form.unlabeled_only}
        onChange={(event) => set({ unlabeled_only: event.currentTarget.checked })}
      />
    </>
  );
}

/** What labels and the selector say about traces. Steps are counted from 1. */
function SaidFields({ slug, form, set }: Pick<TraceFilterFieldsProps, "slug" | "form" | "set">) {
  const selector = useFacetsOfTraces(slug).data?.scorer ?? null;
  const step = (name: "error_from" | "error_to") => ({
    placeholder: "any",
    min: 1,
    allowDecimal: false,
    value: form[name],
    onChange: (value: number | string) => set({ [name]: value === "" ? "" : Number(value) }),
  });
  const score = (name: "score_min" | "score_max") => ({
    placeholder: "any",
    ...(selector?.scale === "probability" ? { min: 0, max: 1, step: 0.05 } : { step: 0.5 }),
    value: form[name],
    onChange: (value: number | string) =>
      set({
        [name]: value === "" || Number.isNaN(Number(value)) ? "" : Number(value),
        scored_by: form.scored_by || (selector?.id ?? ""),
      }),
  });
  const by = form.scored_by === "" || form.scored_by === selector?.id ? selector?.name : `PRM ${form.scored_by}`;
  return (
    <>
      <FormRow>
        <NativeSelect
          label="First error by labels"
          value={form.first_error}
          data={FIRST_ERROR_CHOICES}
          onChange={(event) => set({ first_error: event.currentTarget.value as FirstError | "" })}
        />
        <NumberInput label="First error from step" {...step("error_from")} />
        <NumberInput label="to step" {...step("error_to")} />
      </FormRow>
      {by && (
        <FormRow>
          <NumberInput label={`Score by ${by}, at least`} {...score("score_min")} />
          <NumberInput label="Score, at most" {...score("score_max")} />
        </FormRow>
      )}
    </>
  );
}

/** The values that the project's traces have, the most common first. A name typed differently matches none. */
function Suggestions({ slug, id }: { slug: string; id: string }) {
  const facets = useFacetsOfTraces(slug).data?.facets ?? [];
  return Object.entries(FACET_OF).map(([name, facet]) => (
    <datalist key={name} id={`${id}-${name}`}>
      {facets
        .find((one) => one.name === facet)
        ?.values.filter(({ value }) => value !== "")
        .map(({ value, traces }) => (
          <option key={value} value={value} label={countOf(traces, "trace")} />
        ))}
    </datalist>
  ));
}
