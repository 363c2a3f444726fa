import { NumberInput, Textarea } from "@mantine/core";
import { useState } from "react";
import { otherFault } from "@/api/fieldFaults";
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

/** A new source. It is never changed: other settings are another one, so that marks stay comparable. */
export function NewSourceForm({ slug, sources }: { slug: string; sources: Sources }) {
  const create = useCreateSource(slug);
  const generators = useGenerators(slug);
  const [kind, setKind] = useState<SourceKind>("judge");
  const [name, setName] = useState("");
  const [generator, setGenerator] = useState("");
  const [model, setModel] = useState("");
  const [template, setTemplate] = useState("processbench/1");
  const [own, setOwn] = useState(
    "{problem}\n\n{solution}\n\nPut the index of the first wrong paragraph in \\boxed{}, -1 for none.",
  );
  const [strategy, setStrategy] = useState<Strategy>("bisect");
  const [count, setCount] = useState(8);
  const [again, setAgain] = useState(0);
  const [prices, setPrices] = useState([0, 0]);
  const [rule, setRule] = useState<"agree" | "majority" | "weakest">("agree");
  const [members, setMembers] = useState<number[]>([]);
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
    price_in: prices[0] ?? 0,
    price_out: prices[1] ?? 0,
  };
  const settings: Record<SourceKind, Partial<NewSource>> = {
    verifier: {},
    rollouts: { rollouts: { completer: sampling, strategy, n: count, threshold: 0.5, budget: 100 } },
    judge: { judge: { judge: sampling, votes: count, again } },
    consensus: { consensus: { sources: members, rule } },
  };
  const submit = () =>
    create.mutate({ name: name.trim(), kind, ...settings[kind] } as NewSource, { onSuccess: () => setName("") });
  const ready =
    name.trim() !== "" && (!asksModel || sampling.model !== "") && (kind !== "consensus" || members.length > 1);
  return (
    <Panel title="New source">
      <Form onSubmit={submit} label="New source">
        <Choices row legend="Kind" name="kind" value={kind} onChange={setKind} choices={KINDS} />
        <FormRow wide>
          <TextField label="Name" most={100} value={name} onChange={setName} />
          {asksModel && offered.length > 0 && (
            <SelectField
              label="Server"
              value={server?.name ?? ""}
              choices={offered.map((one) => ({ value: one.name, label: one.name }))}
              onChange={setGenerator}
            />
          )}
          {asksModel && server && (
            <TextField label="Model" placeholder={server.models[0] ?? ""} value={model} onChange={setModel} />
          )}
        </FormRow>
        {asksModel && generators.data && offered.length === 0 && (
          <p className={classes.quiet}>No server that writes is set up: ask the operator to set GENERATORS.</p>
        )}
        {asksModel && (
          <FormRow wide>
            <NumberInput
              label={kind === "judge" ? "Votes" : "Rollouts a prefix"}
              min={1}
              max={64}
              allowDecimal={false}
              value={count}
              onChange={(value) => setCount(Number(value) || 1)}
            />
            {kind === "judge" && (
              <NumberInput
                label="Asked again until stable, at most"
                min={0}
                max={8}
                allowDecimal={false}
                value={again}
                onChange={(value) => setAgain(Number(value) || 0)}
              />
            )}
            {["Price of a million tokens read", "Price of a million tokens written"].map((label, place) => (
              <NumberInput
                key={label}
                label={label}
                min={0}
                value={prices[place] ?? 0}
                onChange={(value) =>
                  setPrices((before) => before.map((one, at) => (at === place ? Number(value) || 0 : one)))
                }
              />
            ))}
          </FormRow>
        )}
        {kind === "rollouts" && (
          <SelectField label="Where from" value={strategy} choices={STRATEGIES} onChange={setStrategy} />
        )}
        {kind === "judge" && <Template slug={slug} sources={sources} {...{ template, setTemplate, own, setOwn }} />}
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
                      setMembers((before) =>
                        before.includes(one.id) ? before.filter((id) => id !== one.id) : [...before, one.id],
                      )
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
              onChange={setRule}
            />
          </>
        )}
        <ErrorNotice error={otherFault(create.error, [])} title="The source was not made" />
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
  setTemplate: (template: string) => void;
  own: string;
  setOwn: (text: string) => void;
}

/** Which words a judge reads, and what they look like on a trace of the project. */
function Template({ slug, sources, template, setTemplate, own, setOwn }: TemplateProps) {
  const preview = usePreviewJudge(slug);
  return (
    <>
      <SelectField
        label="Template"
        value={template}
        choices={[
          ...sources.judge_templates.map((one) => ({ value: one.name, label: one.name })),
          { value: OWN, label: "one’s own" },
        ]}
        onChange={setTemplate}
      />
      {template === OWN && (
        <Textarea
          label="Own template"
          description="{problem} and {solution} stand where they are to be; steps are paragraphs, counted from 0."
          autosize
          minRows={4}
          value={own}
          onChange={(event) => setOwn(event.currentTarget.value)}
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
