import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import * as limits from "@/api/limits";
import type { Generators, SplitterKind } from "@/api/roundTypes";
import { FormRow, FormSection } from "@/ui/Form";
import { SplitterPreview } from "./SplitterPreview";
import { type GenerateForm, generateFaults, type StagedForm } from "./stagedForm";
import { useGenerators } from "./stagedQueries";

const SPLITTERS: { value: SplitterKind; label: string }[] = [
  { value: "blank_line", label: "at blank lines" },
  { value: "newline", label: "at every line" },
  { value: "numbered", label: "at numbers: 1. 2. 3." },
  { value: "step", label: "at “Step k:”" },
  { value: "custom", label: "at a text of my own" },
];

interface GeneratingFieldsProps {
  slug: string;
  form: StagedForm;
  set: (changes: Partial<StagedForm>) => void;
}

/** Whether a model writes new traces before the pool is scored, and how. */
export function GeneratingFields({ slug, form, set }: GeneratingFieldsProps) {
  const generators = useGenerators(slug);
  const none = generators.data?.results.length === 0;
  return (
    <FormSection
      title="New traces"
      note={
        none
          ? "No server for generating is set up here. The operator lists servers in the site’s settings (GENERATORS)."
          : "A model can write more solutions before the pool is scored."
      }
    >
      <Switch
        label="Make new traces first"
        checked={form.generating}
        disabled={none || !generators.data}
        onChange={(event) => {
          const generating = event.currentTarget.checked;
          const first = generators.data?.results[0];
          set({
            generating,
            server: form.server || (first?.name ?? ""),
            model: form.model || (first?.models[0] ?? ""),
            prompt: form.prompt || (generators.data?.prompts[0]?.template ?? "{problem}"),
          });
        }}
      />
      {form.generating && generators.data && (
        <GenerateBlock slug={slug} form={form} set={set} generators={generators.data} />
      )}
    </FormSection>
  );
}

function GenerateBlock({ slug, form, set, generators }: GeneratingFieldsProps & { generators: Generators }) {
  const faults = generateFaults(form);
  const models = generators.results.find(({ name }) => name === form.server)?.models ?? [];
  const named = generators.prompts.find(({ template }) => template === form.prompt);
  const text = (name: "model" | "prompt" | "pattern" | "stop") => ({
    name,
    value: form[name],
    error: faults[name],
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  });
  const number = (name: keyof Pick<GenerateForm, "temperature" | "top_p" | "n" | "max_tokens" | "generate_seed">) => ({
    name,
    value: form[name],
    error: faults[name],
    onChange: (value: number | string) => set({ [name]: value === "" ? "" : Number(value) }),
  });
  return (
    <>
      <FormRow>
        <NativeSelect
          label="Server"
          value={form.server}
          data={generators.results.map(({ name }) => name)}
          error={faults.server}
          onChange={(event) => {
            const server = event.currentTarget.value;
            set({ server, model: generators.results.find(({ name }) => name === server)?.models[0] ?? "" });
          }}
        />
        {models.length > 0 ? (
          <NativeSelect
            label="Model"
            value={form.model}
            data={models}
            onChange={(event) => set({ model: event.currentTarget.value })}
          />
        ) : (
          <TextInput
            label="Model"
            placeholder="the server’s name for it"
            spellCheck={false}
            {...text("model")}
            error={undefined}
          />
        )}
      </FormRow>
      <NativeSelect
        label="Prompt"
        value={named?.name ?? ""}
        data={[
          ...generators.prompts.map(({ name }) => ({ value: name, label: name.replaceAll("_", " ") })),
          ...(named ? [] : [{ value: "", label: "my own" }]),
        ]}
        onChange={(event) => {
          const chosen = generators.prompts.find(({ name }) => name === event.currentTarget.value);
          if (chosen) set({ prompt: chosen.template });
        }}
      />
      <Textarea
        aria-label="Text of the prompt"
        description="{problem} is replaced by the problem’s text."
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        {...text("prompt")}
      />
      <FormRow>
        <NumberInput label="New traces of a problem" {...limits.GenerateIn.n} allowDecimal={false} {...number("n")} />
        <NumberInput
          label="At most tokens"
          {...limits.GenerateIn.max_tokens}
          allowDecimal={false}
          {...number("max_tokens")}
        />
      </FormRow>
      <FormRow>
        <NumberInput label="Temperature" {...limits.GenerateIn.temperature} step={0.1} {...number("temperature")} />
        <NumberInput label="Top-p" {...limits.GenerateIn.top_p} step={0.05} {...number("top_p")} />
        <NumberInput
          label="Seed of the model"
          {...limits.GenerateIn.seed}
          allowDecimal={false}
          {...number("generate_seed")}
        />
      </FormRow>
      <Textarea
        label="Stop texts"
        description="One per line, at most four. The model stops where one appears. Write \n for a line break."
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
        {...text("stop")}
      />
      <FormRow>
        <NativeSelect
          label="Steps are cut"
          value={form.splitter}
          data={SPLITTERS}
          onChange={(event) => set({ splitter: event.currentTarget.value as SplitterKind })}
        />
        {form.splitter === "custom" && (
          <TextInput
            label="A step begins with"
            placeholder="Step {n}:"
            description="The text at the start of each step; {n} stands for a number."
            spellCheck={false}
            {...text("pattern")}
          />
        )}
      </FormRow>
      <SplitterPreview slug={slug} splitter={{ kind: form.splitter, pattern: form.pattern }} />
    </>
  );
}
