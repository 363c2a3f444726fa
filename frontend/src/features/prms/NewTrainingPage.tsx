import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { otherFault } from "@/api/fieldFaults";
import { linkKey, useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import type { TrainingNumbers, TrainingOptions, TrainingPreview, TrainingTarget } from "@/api/trainingTypes";
import { Button, ButtonLink } from "@/ui/Button";
import { ShareBar } from "@/ui/charts/ShareBar";
import { Choices, Form, FormButtons, FormRow, FormSection } from "@/ui/Form";
import { countOf, formatCount } from "@/ui/format";
import { HastyLabels } from "@/ui/HastyLabels";
import { ErrorNotice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./prms.module.css";
import { DTYPES, learnedFrom, leftOutWords, METHODS, SWITCHES, SYNTHETIC_ERRORS, TARGETS } from "./prmWords";
import { useCreateTrainingRun, useTrainingOptions, useTrainingPreview } from "./queries";
import { RoundTicks } from "./RoundTicks";
import { Teachers } from "./Teachers";
import {
  baseLearns,
  canMake,
  emptyTraining,
  methodOf,
  newTraining,
  rolloutsOf,
  stillOffered,
  TRAINING_LINK,
  type TrainingForm as Typed,
  trainingQuestion,
} from "./trainingForm";

/** Train a PRM on the labels of some rounds. `?round=` ticks one round and those before it. */
export function NewTrainingPage() {
  const { slug = "" } = useParams();
  const options = useTrainingOptions(slug);
  return (
    <>
      <PageHeading title="Train a PRM" />
      {options.isPending && <SkeletonLines lines={8} />}
      {options.isError && !options.data && (
        <ErrorState inline error={options.error} retry={() => void options.refetch()} />
      )}
      {options.data && (options.data.rounds.length === 0 || options.data.bases.length === 0) && (
        <Nothing slug={slug} options={options.data} />
      )}
      {options.data && options.data.rounds.length > 0 && options.data.bases.length > 0 && (
        <TrainingForm slug={slug} options={options.data} />
      )}
    </>
  );
}

function Nothing({ slug, options }: { slug: string; options: TrainingOptions }) {
  if (options.rounds.length === 0) {
    return (
      <EmptyState
        inline
        title="There are no labels to learn from yet"
        actions={<ButtonLink to={`/projects/${slug}/rounds`}>Rounds</ButtonLink>}
      >
        <p>A PRM learns from the labels of published rounds. Publish a round, and let labelers work on it.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState inline title="There is no base model to train from">
      <p>
        An operator must put a language model under MODELS_DIR and name it in TRAINING_BASES. See “PRMs and rounds” in
        the operations guide.
      </p>
    </EmptyState>
  );
}

function TrainingForm({ slug, options }: { slug: string; options: TrainingOptions }) {
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const create = useCreateTrainingRun(slug);
  const link = linkKey(params, TRAINING_LINK);
  const kept = useKeptForm(`training:${slug}:${link}`, () => emptyTraining(options, params));
  const set = (changes: Partial<Typed>) => kept.set(changes);
  const form = stillOffered(kept.form, options);
  const { chosen, target, switches } = form;
  const preview = useTrainingPreview(slug, trainingQuestion(form));
  const said = chosen.length > 0 ? preview.data : undefined;
  const refused = said?.refused || (target === "outcome" && said?.refused_outcomes) || "";
  const rollouts = rolloutsOf(options);
  const submit = () =>
    kept.sent(create.mutateAsync(newTraining(form)), (run) => void navigate(`/projects/${slug}/prms/runs/${run.id}`));
  return (
    <div className={classes.columns}>
      <Form onSubmit={submit} label="Train a PRM" left={kept}>
        <TextInput
          label="Name (optional)"
          placeholder="After round 2"
          {...limits.TrainingRunIn.name}
          value={form.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <FormSection title="What it learns from" note="Labels submitted before a worker starts the training.">
          <RoundTicks rounds={options.rounds} chosen={chosen} onChange={(rounds) => set({ chosen: rounds })} />
          <FormRow wide>
            {SWITCHES.map(({ name: key, label, values }) => (
              <NativeSelect
                key={key}
                label={label}
                data={values}
                value={switches[key] ?? values[0]?.value ?? ""}
                onChange={(event) => set({ switches: { ...switches, [key]: event.currentTarget.value } })}
              />
            ))}
          </FormRow>
          <Choices
            row
            legend="It predicts"
            name="target"
            choices={TARGETS}
            value={target}
            onChange={(value) => set({ target: value })}
          />
          {target === "steps" && (
            <Teachers sources={options.sources} weights={form.weights} onChange={(weights) => set({ weights })} />
          )}
          {target === "progress" &&
            (rollouts.length === 0 ? (
              <p className={classes.quiet}>
                There are no rollouts yet. Under Machine labels, add a source of rollouts from every prefix, and run it.
              </p>
            ) : (
              <NativeSelect
                label="Progress as measured by"
                description="Progress for the completer of this source. The first head learns only from people’s labels. Needs the method Head only."
                data={rollouts.map(({ id, name, marks }) => ({
                  value: String(id),
                  label: `${name}: ${countOf(marks, "trace")}`,
                }))}
                value={form.measured}
                onChange={(event) => set({ measured: event.currentTarget.value })}
              />
            ))}
        </FormSection>
        <FormSection title="How it learns">
          <NativeSelect
            label="Base model"
            description="The operator chose these names."
            data={options.bases}
            value={form.base}
            onChange={(event) => set({ base: event.currentTarget.value })}
          />
          <Choices
            legend="Method"
            name="method"
            choices={METHODS}
            value={methodOf(form)}
            onChange={(method) => set({ method })}
          />
          {canMake(form) && (
            <NativeSelect
              label="Wrong steps to practise on"
              description="The trainer makes them by changing one thing in a right step. They do not count as labels, and nothing is measured on them."
              data={SYNTHETIC_ERRORS}
              value={form.made}
              onChange={(event) => set({ made: event.currentTarget.value })}
            />
          )}
          {baseLearns(form) && (
            <FormRow wide>
              <NumberInput
                label="Layers kept"
                description="How many of the base’s lowest layers to keep. With fewer, the PRM is faster and smaller, but it reads less into each step."
                placeholder="all"
                allowDecimal={false}
                min={1}
                max={limits.TrainingRunIn.layers.max}
                value={form.layers}
                onChange={(value) => set({ layers: value === "" ? "" : Number(value) })}
              />
              <NativeSelect
                label="Numbers"
                description="bfloat16 is faster only if the processor supports it. GPUs do, and newer CPUs."
                data={DTYPES}
                value={form.dtype}
                onChange={(event) => set({ dtype: event.currentTarget.value as TrainingNumbers | "" })}
              />
            </FormRow>
          )}
          <NumberInput
            label="Seed"
            description="For the split into training and validation problems. The same labels and seed give the same PRM."
            allowDecimal={false}
            {...limits.TrainingRunIn.seed}
            value={form.seed}
            onChange={(value) => set({ seed: value === "" ? "" : Number(value) })}
          />
        </FormSection>
        <ErrorNotice error={otherFault(create.error, [])} title="The training did not start" />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={chosen.length === 0 || refused !== "" || create.isPending}>
            {create.isPending ? "Starting…" : "Start training"}
          </Button>
          <ButtonLink to={`/projects/${slug}/prms`} onClick={() => kept.forget()}>
            Cancel
          </ButtonLink>
          <span className={classes.quiet}>{chosen.length === 0 ? "Choose at least one round." : refused}</span>
        </FormButtons>
      </Form>
      <PreviewPanel
        target={target}
        preview={chosen.length > 0 ? preview.data : undefined}
        error={preview.error}
        withoutHasty={switches.hasty === "exclude"}
        leaveHasty={(out) => set({ switches: { ...switches, hasty: out ? "exclude" : "include" } })}
      />
    </div>
  );
}

interface PreviewPanelProps {
  target: TrainingTarget;
  preview: TrainingPreview | undefined;
  error: unknown;
  withoutHasty: boolean;
  leaveHasty: (out: boolean) => void;
}

function PreviewPanel({ target, preview, error, withoutHasty, leaveHasty }: PreviewPanelProps) {
  const ofAnswers = target === "outcome";
  const learned = preview ? learnedFrom(preview, target) : 0;
  const leftOut = preview ? leftOutWords(preview, target) : [];
  return (
    <section className={classes.preview} aria-label="What it would learn from">
      <h2>What it would learn from</h2>
      {error ? <ErrorNotice error={error} /> : null}
      {!preview && !error && <p className={classes.quiet}>Choose rounds to see their labels.</p>}
      {preview && (
        <div aria-live="polite">
          <p className={classes.total}>
            {formatCount(learned)}
            <small>
              {learned === 1 ? "label" : "labels"}{" "}
              {ofAnswers ? "of traces with a graded answer" : `on ${countOf(preview.problems, "problem")}`}
            </small>
          </p>
          <ShareBar
            shares={
              ofAnswers
                ? [
                    { name: "right answers", count: preview.right_answers, tone: "plus" },
                    { name: "wrong answers", count: preview.wrong_answers, tone: "minus" },
                  ]
                : [
                    { name: "right steps", count: preview.steps - preview.wrong_steps, tone: "plus" },
                    { name: "wrong steps", count: preview.wrong_steps, tone: "minus" },
                  ]
            }
          />
          <HastyLabels hasty={preview.hasty} without={withoutHasty} leave={leaveHasty} />
          <h3 className={classes.small}>Not learned</h3>
          <ul className={classes.plain}>
            {leftOut.map((words) => (
              <li key={words}>{words}</li>
            ))}
            {leftOut.length === 0 && <li>nothing</li>}
          </ul>
        </div>
      )}
    </section>
  );
}
