import { NumberInput, Textarea } from "@mantine/core";
import { otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import type { NewSource, SourceKind, Sources } from "@/api/sourceTypes";
import { Button } from "@/ui/Button";
import { Choices, Form, FormButtons, FormRow, SelectField, TextField } from "@/ui/Form";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { useCreateSource, useGenerators, usePreviewJudge } from "./queries";
import classes from "./sources.module.css";
import { KINDS, RULES, STRATEGIES } from "./sourceWords";

type Strategy = (typeof STRATEGIES)[number]["value"];
const OWN = "";

interface SourceForm {
  kind: SourceKind;
  name: string;
  generator: string;
  model: string;
  template: string;
  /** The text of a judge with its own template. */
  own: string;
  strategy: Strategy;
  count: number;
  again: number;
  price_in: number;
  price_out: number;
  rule: "agree" | "majority" | "weakest";
  members: number[];
}

const EMPTY: SourceForm = {
  kind: "judge",
  name: "",
  generator: "",
  model: "",
  template: "processbench/1",
  own: "{problem}\n\n{solution}\n\nPut the index of the first wrong paragraph in \\boxed{}, -1 for none.",
  strategy: "bisect",
  count: 8,
  again: 0,
  price_in: 0,
  price_out: 0,
  rule: "agree",
  members: [],
};

const PRICES = [
  ["price_in", "Price per million tokens read"],
  ["price_out", "Price per million tokens written"],
] as const;

/** How many votes of a judge, or rollouts of each prefix. */
function countLimits(kind: SourceKind) {
  return kind === "judge" ? limits.JudgeIn.votes : limits.RolloutsIn.n;
}

/** A new source. Sources never change: other settings make another source, so that marks stay comparable. */
export function NewSourceForm({ slug, sources }: { slug: string; sources: Sources }) {
  const create = useCreateSource(slug);
  const generators = useGenerators(slug);
  const kept = useKeptForm(`source:${slug}`, () => EMPTY);
  const { kind, name, template, own, strategy, count, again, rule } = kept.form;
  const { generator, model, price_in, price_out } = kept.form;
  const set = (changes: Partial<SourceForm>) => kept.set(changes);
  const members = kept.form.members.filter((id) => sources.results.some((one) => one.id === id));
  const offered = generators.data?.results ?? [];
  const server = offered.find((one) => one.name === generator) ?? offered[0];
  const asksModel = kind === "rollouts" || kind === "judge";
  const sampling = {
    generator: server?.name ?? "",
    model: model || (server?.models[0] ?? ""),
    prompt: kind === "rollouts" ? "go_on" : template === OWN ? own : template,
    temperature: 0.7,
    top_p: 1,
    max_tokens: 1024,
    seed: 0,
    price_in,
    price_out,
  };
  const settings: Record<SourceKind, Partial<NewSource>> = {
    verifier: {},
    rollouts: { rollouts: { completer: sampling, strategy, n: count, threshold: 0.5, budget: 100 } },
    judge: { judge: { judge: sampling, votes: count, again } },
    consensus: { consensus: { sources: members, rule } },
  };
  const submit = () =>
    kept.sent(
      create.mutateAsync({ name: name.trim(), kind, ...settings[kind] } as NewSource),
      // The settings stay in sight, because the next source often differs in only a few.
      () => kept.forget({ name: "" }),
    );
  const ready =
    name.trim() !== "" && (!asksModel || sampling.model !== "") && (kind !== "consensus" || members.length > 1);
  return (
    <Panel title="New source">
      <Form onSubmit={submit} label="New source" left={kept}>
        <Choices
          row
          legend="Kind"
          name="kind"
          value={kind}
          onChange={(chosen) => set({ kind: chosen, count: Math.min(count, countLimits(chosen).max) })}
          choices={KINDS}
        />
        <FormRow wide>
          <TextField
            label="Name"
            {...limits.CreateSourceIn.name}
            value={name}
            onChange={(typed) => set({ name: typed })}
          />
          {asksModel && offered.length > 0 && (
            <SelectField
              label="Server"
              value={server?.name ?? ""}
              choices={offered.map((one) => ({ value: one.name, label: one.name }))}
              onChange={(chosen) => set({ generator: chosen })}
            />
          )}
          {asksModel && server && (
            <TextField
              label="Model"
              placeholder={server.models[0] ?? ""}
              value={model}
              onChange={(typed) => set({ model: typed })}
            />
          )}
        </FormRow>
        {asksModel && generators.data && offered.length === 0 && (
          <p className={classes.quiet}>No model server is set up. Ask the operator to set GENERATORS.</p>
        )}
        {asksModel && (
          <FormRow wide>
            <NumberInput
              label={kind === "judge" ? "Votes" : "Rollouts per prefix"}
              {...countLimits(kind)}
              allowDecimal={false}
              value={count}
              onChange={(value) => set({ count: Number(value) || 1 })}
            />
            {kind === "judge" && (
              <NumberInput
                label="Asked again until stable, at most"
                {...limits.JudgeIn.again}
                allowDecimal={false}
                value={again}
                onChange={(value) => set({ again: Number(value) || 0 })}
              />
            )}
            {PRICES.map(([price, label]) => (
              <NumberInput
                key={price}
                label={label}
                {...limits.SamplingIn[price]}
                value={kept.form[price]}
                onChange={(value) => set({ [price]: Number(value) || 0 })}
              />
            ))}
          </FormRow>
        )}
        {kind === "rollouts" && (
          <SelectField
            label="Where from"
            value={strategy}
            choices={STRATEGIES}
            onChange={(chosen) => set({ strategy: chosen })}
          />
        )}
        {kind === "judge" && <Template slug={slug} sources={sources} template={template} own={own} set={set} />}
        {kind === "consensus" && (
          <>
            <fieldset className={classes.members}>
              <legend>Of these sources</legend>
              {sources.results.map((one) => (
                <label key={one.id}>
                  <input
                    type="checkbox"
                    checked={members.includes(one.id)}
                    onChange={() =>
                      set({
                        members: members.includes(one.id)
                          ? members.filter((id) => id !== one.id)
                          : [...members, one.id],
                      })
                    }
                  />
                  {one.name}
                </label>
              ))}
            </fieldset>
            <SelectField
              label="Rule"
              note={sources.rules.find((one) => one.name === rule)?.text}
              value={rule}
              choices={sources.rules.map((one) => ({
                value: one.name as typeof rule,
                label: RULES[one.name] ?? one.name,
              }))}
              onChange={(chosen) => set({ rule: chosen })}
            />
          </>
        )}
        <ErrorNotice error={otherFault(create.error, [])} title="The source was not created" />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={!ready || create.isPending}>
            {create.isPending ? "Making…" : "Make the source"}
          </Button>
        </FormButtons>
      </Form>
    </Panel>
  );
}

interface TemplateProps {
  slug: string;
  sources: Sources;
  template: string;
  own: string;
  set: (changes: Partial<SourceForm>) => void;
}

/** Which text a judge reads, and what it looks like for a trace of the project. */
function Template({ slug, sources, template, own, set }: TemplateProps) {
  const preview = usePreviewJudge(slug);
  return (
    <>
      <SelectField
        label="Template"
        value={template}
        choices={[
          ...sources.judge_templates.map((one) => ({ value: one.name, label: one.name })),
          { value: OWN, label: "own template" },
        ]}
        onChange={(chosen) => set({ template: chosen })}
      />
      {template === OWN && (
        <Textarea
          label="Own template"
          description="Write {problem} and {solution} where they belong. Steps are paragraphs, counted from 0."
          autosize
          minRows={4}
          value={own}
          onChange={(event) => set({ own: event.currentTarget.value })}
        />
      )}
      <FormButtons>
        <Button
          disabled={preview.isPending}
          onClick={() => preview.mutate({ prompt: template === OWN ? own : template })}
        >
          Show it on a trace
        </Button>
      </FormButtons>
      <ErrorNotice error={preview.error} />
      {preview.data && <pre className={classes.preview}>{preview.data.text}</pre>}
    </>
  );
}
