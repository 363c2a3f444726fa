import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { otherFault } from "@/api/fieldFaults";
import type {
  TrainingMethod,
  TrainingNumbers,
  TrainingOptions,
  TrainingPreview,
  TrainingTarget,
} from "@/api/trainingTypes";
import { Button, ButtonLink } from "@/ui/Button";
import { ShareBar } from "@/ui/charts/ShareBar";
import { Choices, Form, FormButtons, FormRow, FormSection } from "@/ui/Form";
import { countOf, formatCount } from "@/ui/format";
import { HastyLabels } from "@/ui/HastyLabels";
import { ErrorNotice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./prms.module.css";
import {
  DTYPES,
  learnedFrom,
  leftOutWords,
  METHODS,
  methodToBegin,
  SWITCHES,
  SYNTHETIC_ERRORS,
  TARGETS,
} from "./prmWords";
import { useCreateTrainingRun, useTrainingOptions, useTrainingPreview } from "./queries";
import { RoundTicks, roundsWithLabels } from "./RoundTicks";
import { Teachers } from "./Teachers";

/** Train a PRM on the labels of some rounds; `?round=` ticks one and those before it. */
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
        <p>A PRM learns from the labels of rounds that labelers have seen. Publish one, and let people label.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState inline title="There is no base model to train from">
      <p>
        An operator puts a language model under MODELS_DIR and names it in TRAINING_BASES. How: the operations guide,
        “Training”.
      </p>
    </EmptyState>
  );
}

function TrainingForm({ slug, options }: { slug: string; options: TrainingOptions }) {
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const create = useCreateTrainingRun(slug);
  const [chosen, setChosen] = useState(() => firstChoice(options, params.get("round")));
  const [name, setName] = useState("");
  const [base, setBase] = useState(options.bases[0] ?? "");
  const [pickedMethod, setMethod] = useState<TrainingMethod | null>(null);
  const [target, setTarget] = useState<TrainingTarget>("steps");
  const [made, setMade] = useState("0");
  const [layers, setLayers] = useState<number | "">("");
  const [dtype, setDtype] = useState<TrainingNumbers | "">("");
  const [seed, setSeed] = useState<number | "">(0);
  const [switches, setSwitches] = useState<Record<string, string>>(
    params.get("hasty") === "exclude" ? { hasty: "exclude" } : {},
  );
  const question = { round_ids: chosen.map(Number), switches };
  const preview = useTrainingPreview(slug, question);
  const said = chosen.length > 0 ? preview.data : undefined;
  const refused = said?.refused || (target === "outcome" && said?.refused_outcomes) || "";
  const [weights, setWeights] = useState<Record<number, number>>({});
  const method = pickedMethod ?? methodToBegin(target);
  const baseLearns = method === "lora" || method === "full";
  const canMake = baseLearns && target === "steps";
  const rollouts = options.sources.filter(({ kind }) => kind === "rollouts");
  const [measured, setMeasured] = useState(String(rollouts[0]?.id ?? ""));
  const learning = {
    base,
    method,
    target,
    seed: seed === "" ? 0 : seed,
    synthetic_errors: canMake ? Number(made) : 0,
    layers: baseLearns && layers !== "" ? layers : 0,
    dtype: baseLearns ? dtype : "",
    sources: teachersOf(target, weights, measured),
  };
  const submit = () =>
    create.mutate(
      { ...question, ...learning, name: name.trim() },
      { onSuccess: (run) => void navigate(`/projects/${slug}/prms/runs/${run.id}`) },
    );
  return (
    <div className={classes.columns}>
      <Form onSubmit={submit} label="Train a PRM">
        <TextInput
          label="Name (optional)"
          placeholder="After round 2"
          maxLength={80}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FormSection title="What it learns from" note="Labels submitted by the time a worker begins.">
          <RoundTicks rounds={options.rounds} chosen={chosen} onChange={setChosen} />
          <FormRow wide>
            {SWITCHES.map(({ name: key, label, values }) => (
              <NativeSelect
                key={key}
                label={label}
                data={values}
                value={switches[key] ?? values[0]?.value ?? ""}
                onChange={(event) => setSwitches({ ...switches, [key]: event.currentTarget.value })}
              />
            ))}
          </FormRow>
          <Choices row legend="It predicts" name="target" choices={TARGETS} value={target} onChange={setTarget} />
          {target === "steps" && <Teachers sources={options.sources} weights={weights} onChange={setWeights} />}
          {target === "progress" &&
            (rollouts.length === 0 ? (
              <p className={classes.quiet}>
                Nothing was rolled out here yet. Make a source of rollouts under Machine labels, from every prefix, and
                let it run.
              </p>
            ) : (
              <NativeSelect
                label="Progress as measured by"
                description="For its completer; the first head learns people’s labels alone. Fitted by the head only."
                data={rollouts.map(({ id, name, marks }) => ({
                  value: String(id),
                  label: `${name}: ${countOf(marks, "trace")}`,
                }))}
                value={measured}
                onChange={(event) => setMeasured(event.currentTarget.value)}
              />
            ))}
        </FormSection>
        <FormSection title="How it learns">
          <NativeSelect
            label="Base model"
            description="As the operator named them."
            data={options.bases}
            value={base}
            onChange={(event) => setBase(event.currentTarget.value)}
          />
          <Choices legend="Method" name="method" choices={METHODS} value={method} onChange={setMethod} />
          {canMake && (
            <NativeSelect
              label="Wrong steps to practise on"
              description="Made by the trainer: a right step with one thing in it changed. They count as nobody’s labels, and nothing is measured on them."
              data={SYNTHETIC_ERRORS}
              value={made}
              onChange={(event) => setMade(event.currentTarget.value)}
            />
          )}
          {baseLearns && (
            <FormRow wide>
              <NumberInput
                label="Layers kept"
                description="Of the base, from below. Fewer: quicker, smaller, and it has read less into a step."
                placeholder="all"
                allowDecimal={false}
                min={1}
                max={1000}
                value={layers}
                onChange={(value) => setLayers(value === "" ? "" : Number(value))}
              />
              <NativeSelect
                label="Numbers"
                description="bfloat16 is quicker only where the processor has it. GPUs do; of others the newer ones."
                data={DTYPES}
                value={dtype}
                onChange={(event) => setDtype(event.currentTarget.value as TrainingNumbers | "")}
              />
            </FormRow>
          )}
          <NumberInput
            label="Seed"
            description="Of the split into train and validation problems. The same labels and seed give the same PRM."
            allowDecimal={false}
            min={0}
            value={seed}
            onChange={(value) => setSeed(value === "" ? "" : Number(value))}
          />
        </FormSection>
        <ErrorNotice error={otherFault(create.error, [])} title="The training did not start" />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={chosen.length === 0 || refused !== "" || create.isPending}>
            {create.isPending ? "Starting…" : "Start training"}
          </Button>
          <ButtonLink to={`/projects/${slug}/prms`}>Cancel</ButtonLink>
          <span className={classes.quiet}>{chosen.length === 0 ? "Choose at least one round." : refused}</span>
        </FormButtons>
      </Form>
      <PreviewPanel
        target={target}
        preview={chosen.length > 0 ? preview.data : undefined}
        error={preview.error}
        withoutHasty={switches.hasty === "exclude"}
        leaveHasty={(out) => setSwitches({ ...switches, hasty: out ? "exclude" : "include" })}
      />
    </div>
  );
}

/** The machines that a training asks for, each with its weight. */
function teachersOf(target: TrainingTarget, weights: Record<number, number>, measured: string) {
  if (target === "progress") return measured ? [{ id: Number(measured), weight: 1 }] : [];
  return target === "steps" ? Object.entries(weights).map(([id, weight]) => ({ id: Number(id), weight })) : [];
}

/** The round of the address and those before it, else all: every label there is by then, as more of them teach more. */
function firstChoice({ rounds }: TrainingOptions, asked: string | null): string[] {
  const newest = rounds.find((round) => String(round.id) === asked);
  if (!newest) return roundsWithLabels(rounds);
  return [asked ?? "", ...roundsWithLabels(rounds.filter((round) => round.number < newest.number))];
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
      {!preview && !error && <p className={classes.quiet}>Choose rounds to see what they hold.</p>}
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
