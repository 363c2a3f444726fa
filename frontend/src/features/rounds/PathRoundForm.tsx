import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useNavigate } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { newId } from "@/api/journal";
import { useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import type { PathRoundPreview } from "@/api/pathTypes";
import type { Project, Round } from "@/api/projectTypes";
import { Button, ButtonLink } from "@/ui/Button";
import { Form, FormButtons, FormRow, FormSection } from "@/ui/Form";
import { countOf, formatCount } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import { ErrorState, Skeleton } from "@/ui/states";
import { pathLike } from "./likeRound";
import { EMPTY_PATH_FORM, newPathRound, type PathForm, pathFaults, pathQuestion } from "./pathForm";
import { useOpenPathRound, usePreviewPathRound } from "./queries";
import classes from "./rounds.module.css";
import { useGenerators } from "./stagedQueries";

const SHOWN = [
  "sample_size",
  "seed",
  "paths",
  "paths_needed",
  "paths_most",
  "completions",
  "step_cap",
  "priority",
  "name",
];

type NumberName =
  | "sample_size"
  | "seed"
  | "paths"
  | "paths_needed"
  | "paths_most"
  | "completions"
  | "step_cap"
  | "priority";

/** A round whose labelers choose the path through each problem, step by step. */
export function PathRoundForm({ project, like }: { project: Project; like?: Round | undefined }) {
  const navigate = useNavigate();
  const open = useOpenPathRound(project.slug);
  const kept = useKeptForm(`round:path:${project.slug}:${like?.id ?? ""}`, () =>
    like ? pathLike(like) : EMPTY_PATH_FORM,
  );
  const { form } = kept;
  const set = (changes: Partial<PathForm>) => kept.set(changes);
  const [asked] = useDebouncedValue(form, 350);
  const preview = usePreviewPathRound(project.slug, pathQuestion(asked));
  const [clientKey] = useState(newId);
  const faults = pathFaults(form);
  const request = newPathRound(form, clientKey);
  const number = (name: NumberName) => ({
    name,
    allowDecimal: false,
    value: form[name],
    error: faults[name] ?? fieldFault(open.error, name),
    onChange: (value: number | string) => set({ [name]: value === "" ? "" : Number(value) }),
  });
  const text = (name: "name" | "subject" | "level") => ({
    name,
    value: form[name],
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  });
  const submit = () =>
    request &&
    !open.isPending &&
    kept.sent(open.mutateAsync(request), ({ id }) => void navigate(`/projects/${project.slug}/rounds/${id}`));
  return (
    <div className={classes.columns}>
      <Form onSubmit={submit} label="New round of paths" left={kept}>
        <ErrorNotice error={otherFault(open.error, SHOWN)} />
        <TextInput
          label="Name (optional)"
          placeholder="Paths, pilot"
          {...limits.OpenPathRoundIn.name}
          {...text("name")}
        />
        <FormSection title="Which problems" note="Empty fields do not filter.">
          <FormRow>
            <TextInput label="Subject" placeholder="any" {...text("subject")} />
            <TextInput label="Level" placeholder="any" {...text("level")} />
          </FormRow>
          <FormRow>
            <NumberInput
              label="At most this many, drawn at random"
              placeholder="all"
              {...limits.OpenPathRoundIn.sample_size}
              {...number("sample_size")}
            />
            <NumberInput
              label="Seed"
              description="For this sample and for every draw of a step."
              {...limits.OpenPathRoundIn.seed}
              {...number("seed")}
            />
          </FormRow>
        </FormSection>
        <FormSection
          title="How a step is chosen"
          note="The labeler sees one completion. If it is not great, the others appear."
        >
          <FormRow>
            <NumberInput
              label="Completions of a step, at most"
              {...limits.OpenPathRoundIn.completions}
              {...number("completions")}
            />
            <NumberInput
              label="Steps of a path, at most"
              {...limits.OpenPathRoundIn.step_cap}
              {...number("step_cap")}
            />
          </FormRow>
          <Switch
            label="A 0 may be chosen where nothing is great"
            description="If off, the labeler writes the step, as in PRM800K."
            checked={form.neutral}
            onChange={(event) => set({ neutral: event.currentTarget.checked })}
          />
        </FormSection>
        <Completions slug={project.slug} form={form} set={set} />
        <FormSection title="Labeling">
          <FormRow>
            <NumberInput
              label="Paths of a problem"
              description="Each by a different labeler."
              {...limits.OpenPathRoundIn.paths}
              {...number("paths")}
            />
            <NumberInput
              label="Priority"
              description="Rounds with a higher priority are served first."
              {...limits.OpenPathRoundIn.priority}
              {...number("priority")}
            />
          </FormRow>
          <Switch
            label="Ask more labelers where answers differ"
            description="Paths agree if they reach the same answer, whatever their steps. Problems without agreement wait for a reviewer."
            checked={form.paths_most !== 0}
            onChange={(event) => set(asking(form, event.currentTarget.checked))}
          />
          {form.paths_most !== 0 && (
            <FormRow>
              <NumberInput
                label="Paths of a problem, at most"
                min={2}
                max={limits.OpenPathRoundIn.paths_most.max}
                {...number("paths_most")}
              />
              <NumberInput
                label="This many reach the same answer"
                min={1}
                max={limits.OpenPathRoundIn.paths_needed.max}
                {...number("paths_needed")}
              />
            </FormRow>
          )}
        </FormSection>
        <FormButtons>
          <Button kind="primary" type="submit" disabled={!request || open.isPending || preview.data?.problems === 0}>
            {open.isPending ? "Opening…" : "Open the round"}
          </Button>
          <ButtonLink to={`/projects/${project.slug}/rounds`} onClick={() => kept.forget()}>
            Cancel
          </ButtonLink>
        </FormButtons>
      </Form>
      <Preview preview={preview} form={form} />
    </div>
  );
}

/**
 * Two labelers first, then up to five until two agree, as for whole traces (docs/decisions/0011-two-labelers-first.md).
 */
function asking({ paths }: PathForm, on: boolean): Partial<PathForm> {
  if (!on) return { paths_most: 0, paths_needed: 0 };
  const base = paths === "" ? 2 : Math.max(2, paths);
  return { paths: base, paths_most: Math.max(5, base), paths_needed: 2 };
}

const RECORDED = "";

/** Where completions come from: a model that is asked while labelers work, or existing steps. */
function Completions({ slug, form, set }: { slug: string; form: PathForm; set: (changes: Partial<PathForm>) => void }) {
  const generators = useGenerators(slug);
  const known = generators.data?.results ?? [];
  const models = known.find(({ name }) => name === form.server)?.models ?? [];
  const faults = pathFaults(form);
  const choose = (server: string) =>
    set({
      server,
      model: known.find(({ name }) => name === server)?.models[0] ?? (server === RECORDED ? "" : form.model),
    });
  return (
    <FormSection
      title="Completions"
      note={
        generators.data && known.length === 0
          ? "No server for generating is set up here. The operator lists servers in the site’s settings (GENERATORS)."
          : "A model continues the path so far, ahead of the labeler."
      }
    >
      <NativeSelect
        label="They come from"
        value={form.server}
        data={[
          { value: RECORDED, label: "the project’s own traces" },
          ...known.map(({ name }) => ({ value: name, label: name })),
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {form.server === RECORDED ? (
        <p className={classes.explains}>
          Labelers are offered the steps that follow the same steps in the project’s traces. Where these end, the
          labeler writes the step.
        </p>
      ) : (
        <>
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
              value={form.model}
              onChange={(event) => set({ model: event.currentTarget.value })}
            />
          )}
          <FormRow>
            <NumberInput
              label="Temperature"
              {...limits.NextStepIn.temperature}
              step={0.1}
              value={form.temperature}
              error={faults.temperature}
              onChange={(value) => set({ temperature: value === "" ? "" : Number(value) })}
            />
            <NumberInput
              label="At most tokens of a step"
              {...limits.NextStepIn.max_tokens}
              allowDecimal={false}
              value={form.max_tokens}
              error={faults.max_tokens}
              onChange={(value) => set({ max_tokens: value === "" ? "" : Number(value) })}
            />
          </FormRow>
          <Textarea
            label="Prompt (optional)"
            description="Leave it empty for the built-in prompt. {problem} and {steps} are replaced by the problem and the path so far."
            autosize
            minRows={2}
            maxRows={10}
            spellCheck={false}
            value={form.prompt}
            error={faults.prompt}
            onChange={(event) => set({ prompt: event.currentTarget.value })}
          />
        </>
      )}
    </FormSection>
  );
}

interface PreviewProps {
  preview: { data: PathRoundPreview | undefined; error: unknown; isFetching: boolean; refetch: () => unknown };
  form: PathForm;
}

function Preview({ preview, form }: PreviewProps) {
  const { data } = preview;
  return (
    <section className={classes.preview} aria-label="Preview" aria-busy={preview.isFetching}>
      <h2>It would hold</h2>
      {preview.error && !data ? (
        <ErrorState inline error={preview.error} retry={() => void preview.refetch()} />
      ) : (
        <div data-stale={preview.isFetching || undefined} className={classes.previewBody}>
          <p className={classes.total} aria-live="polite">
            {data ? formatCount(data.problems) : <Skeleton width={90} />}
            <small>{data ? (data.problems === 1 ? "problem" : "problems") : ""}</small>
          </p>
          {data && <p className={classes.consequence}>{previewWords(data, form)}</p>}
        </div>
      )}
    </section>
  );
}

function previewWords(preview: PathRoundPreview, { paths, server }: PathForm): string {
  const { problems, held_out: heldOut, with_starting_steps: started, with_recorded_steps: recorded } = preview;
  if (problems === 0) return "No problem fits.";
  const bare = problems - recorded;
  const words = [
    paths !== "" && `${countOf(problems * paths, "path")} wanted.`,
    heldOut > 0 &&
      `${heldOut === problems ? "All are" : `${countOf(heldOut, "problem")} ${heldOut === 1 ? "is" : "are"}`} held out: no training learns from their paths.`,
    started > 0 && `${countOf(started, "problem")} ${started === 1 ? "comes" : "come"} with starting steps.`,
    server === "" &&
      bare > 0 &&
      `${countOf(bare, "problem")} ${bare === 1 ? "has" : "have"} no trace, so the labeler writes every step.`,
  ];
  return words.filter(Boolean).join(" ");
}
