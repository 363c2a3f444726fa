import { Checkbox, Group, NativeSelect, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as limits from "@/api/limits";
import type { AfterError } from "@/api/projectTypes";
import { FormRow, FormSection } from "@/ui/Form";
import { kindsFromText, textOfKinds } from "./ownKinds";
import { generatorNamesQuery } from "./queries";

const SCHEMES: { value: AfterError["scheme"]; label: string }[] = [
  { value: "", label: "none" },
  { value: "maths", label: "Maths, after PRMBench" },
  { value: "trail", label: "Agents: TRAIL" },
  { value: "mast", label: "Agents: MAST" },
  { value: "own", label: "the project's own list" },
];

/** How a list is meant to be used. */
const RULES: Partial<Record<AfterError["scheme"], string>> = {
  trail: "Labelers mark the first place where a mistake shows. For an abused resource, they mark the last.",
  mast: "What failed in how the agents work, not in their result. Labelers choose one kind: the one that explains most.",
};

const ASKABLE: { value: AfterError["asked"][number]; label: string }[] = [
  { value: "progress", label: "the progress before it" },
  { value: "kind", label: "its kind" },
  { value: "corrected_step", label: "what the step should have said" },
  { value: "explanation", label: "what is wrong" },
];

type Explaining = NonNullable<AfterError["explaining"]>;

interface MistakeFieldsProps {
  slug: string;
  value: AfterError;
  fault?: string;
  onChange: (value: AfterError) => void;
}

/** What new rounds offer and ask for at the first −1 of a label. */
export function MistakeFields({ slug, value, fault, onChange }: MistakeFieldsProps) {
  const [own, setOwn] = useState(() => textOfKinds(value.own_kinds));
  const set = (changes: Partial<AfterError>) => onChange({ ...value, ...changes });
  return (
    <FormSection
      title="After the first error"
      note="For new rounds. Rounds that are already open do not change. Labelers may skip everything that you do not require."
    >
      <NativeSelect
        label="Kinds of mistakes"
        description={RULES[value.scheme]}
        name="after_error"
        data={SCHEMES}
        value={value.scheme}
        error={fault}
        onChange={(event) => set({ scheme: event.currentTarget.value as AfterError["scheme"] })}
      />
      {value.scheme === "own" && (
        <Textarea
          label={`Own list${value.own_version > 0 ? `, version ${value.own_version}` : ""}`}
          description="One kind per line: code | name | when to choose it. The last part is optional. A change makes a new version."
          placeholder={"sign | Lost sign | A minus is gone.\nunits | Wrong units"}
          autosize
          minRows={4}
          maxRows={16}
          value={own}
          onChange={(event) => {
            setOwn(event.currentTarget.value);
            set({ own_kinds: kindsFromText(event.currentTarget.value) });
          }}
        />
      )}
      <Checkbox.Group
        label="Labelers must give, for a mistake"
        value={value.asked}
        onChange={(asked) => set({ asked: asked as AfterError["asked"] })}
      >
        <Group gap="md" mt={6}>
          {ASKABLE.map((one) => (
            <Checkbox key={one.value} value={one.value} label={one.label} />
          ))}
        </Group>
      </Checkbox.Group>
      <Switch
        label="Show suggestions that came with the traces"
        description="Explanations and next steps from a file. Importing a file that has them turns this on."
        checked={value.from_file}
        onChange={(event) => set({ from_file: event.currentTarget.checked })}
      />
      <Generator slug={slug} value={value.explaining} onChange={(explaining) => set({ explaining })} />
    </FormSection>
  );
}

interface GeneratorProps {
  slug: string;
  value: Explaining | null;
  onChange: (value: Explaining | null) => void;
}

function Generator({ slug, value, onChange }: GeneratorProps) {
  const generators = useQuery(generatorNamesQuery(slug)).data?.results ?? [];
  const names = [...new Set([...generators.map((one) => one.name), ...(value ? [value.generator] : [])])];
  const set = (changes: Partial<Explaining>) => value && onChange({ ...value, ...changes });
  const begin = (generator: string) => {
    const model = generators.find((one) => one.name === generator)?.models[0] ?? "";
    onChange(generator === "" ? null : { ...NEW, ...value, generator, model });
  };
  const number = (name: "explanations" | "alternatives" | "ahead", most: number) => ({
    allowDecimal: false,
    min: 0,
    max: most,
    value: value?.[name] ?? 0,
    onChange: (next: number | string) => set({ [name]: Number(next) }),
  });
  return (
    <>
      <NativeSelect
        label="A model explains mistakes"
        description={
          names.length > 0
            ? "When a labeler presses −1. Labelers do not have to wait for it."
            : "The operator has not set up a generator (GENERATORS)."
        }
        data={[{ value: "", label: "no" }, ...names.map((name) => ({ value: name, label: name }))]}
        value={value?.generator ?? ""}
        onChange={(event) => begin(event.currentTarget.value)}
      />
      {value && (
        <>
          <TextInput
            label="Model"
            required
            withAsterisk={false}
            {...limits.ExplainingShape.model}
            value={value.model}
            onChange={(event) => set({ model: event.currentTarget.value })}
          />
          <FormRow>
            <NumberInput label="Explanations" {...number("explanations", 6)} />
            <NumberInput label="Other next steps" {...number("alternatives", 6)} />
            <NumberInput
              label="Steps ahead"
              description="The steps with the lowest PRM scores."
              {...number("ahead", 5)}
            />
          </FormRow>
        </>
      )}
    </>
  );
}

const NEW: Explaining = {
  generator: "",
  model: "",
  prompt: "mistake/1",
  explanations: 2,
  alternatives: 3,
  ahead: 2,
  temperature: 0.8,
  top_p: 1,
  max_tokens: 400,
  seed: 0,
};
