import { Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import type { Prm, PrmTrial } from "@/api/roundTypes";
import { useWaiting } from "@/api/waiting";
import { AsYouLeftIt } from "@/ui/AsYouLeftIt";
import { Button } from "@/ui/Button";
import { Form, FormButtons } from "@/ui/Form";
import { countOf } from "@/ui/format";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { TriedAgain } from "@/ui/TriedAgain";
import { HeatKey, HeatStrip } from "@/ui/trace/HeatStrip";
import { formatTraceScore } from "@/ui/trace/score";
import { Waiting } from "@/ui/Waiting";
import classes from "./prms.module.css";
import { isOver, usePrmTrial, useTryPrm } from "./queries";
import { agreement, numbersOf, numberWords, stepsOf } from "./tryWords";

/** A trace you enter, scored: what the PRM says about each step, next to what its card says. */
export function TryPrm({ slug, prm }: { slug: string; prm: Prm }) {
  const tried = useTryPrm(slug, prm.id);
  // Kept for all PRMs of the project, so that you can ask another one the same.
  const kept = useKeptForm(`try-prm:${slug}`, () => ({ problem: "", solution: "", card: "" }));
  const { problem, solution, card } = kept.form;
  const steps = stepsOf(solution);
  const numbers = numbersOf(card);
  const cardFault = numbers === null ? "Enter only numbers, one for each step." : fieldFault(tried.error, "expected");
  const ready = problem.trim() !== "" && steps.length > 0 && numbers !== null;
  const submit = () =>
    ready &&
    !tried.isPending &&
    kept.sent(
      tried.mutateAsync({ problem, steps, expected: numbers.length > 0 ? numbers : null }),
      () => undefined, // what you asked stays next to what the PRM says
    );
  return (
    <Panel
      title="Test scoring"
      note="Paste an example from its card, or a trace you know. It is scored once and is not added to the project."
    >
      <Form label="Test scoring" onSubmit={submit}>
        <AsYouLeftIt left={kept} />
        <Textarea
          label="Problem"
          autosize
          minRows={2}
          maxRows={10}
          {...limits.TryPrmIn.problem}
          value={problem}
          error={fieldFault(tried.error, "problem")}
          onChange={(event) => kept.set({ problem: event.currentTarget.value })}
        />
        <Textarea
          label="Solution"
          description="Separate steps with an empty line."
          autosize
          minRows={5}
          maxRows={18}
          value={solution}
          error={fieldFault(tried.error, "steps")}
          onChange={(event) => kept.set({ solution: event.currentTarget.value })}
        />
        <TextInput
          label="What its card says (optional)"
          description="One number for each step, for comparison."
          placeholder="1.0, 0.19, 0.98, 1.0"
          value={card}
          error={cardFault}
          onChange={(event) => kept.set({ card: event.currentTarget.value })}
        />
        <ErrorNotice error={otherFault(tried.error, ["problem", "steps", "expected"])} title="It was not scored" />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={!ready || tried.isPending}>
            Score it
          </Button>
          <span className={classes.quiet}>{steps.length > 0 && countOf(steps.length, "step")}</span>
        </FormButtons>
      </Form>
      {tried.data && <Tried key={tried.data.id} id={tried.data.id} />}
    </Panel>
  );
}

function Tried({ id }: { id: number }) {
  const trial = usePrmTrial(id);
  if (!trial.data) return null;
  return (
    <section className={classes.tried} aria-label="What it says" aria-live="polite">
      {isOver(trial.data) ? <Outcome trial={trial.data} /> : <UnderWay trial={trial.data} />}
    </section>
  );
}

function UnderWay({ trial }: { trial: PrmTrial }) {
  const ahead = useWaiting("prmtrial", trial.id, trial.status === "queued");
  return (
    <>
      <TriedAgain error={trial.error} />
      <ProgressLine label="Test scoring" done={0} total={trial.status === "queued" ? 1 : null} />
      <p className={classes.quiet}>
        {trial.status === "queued" ? (
          <Waiting on={ahead} queue="gpu" />
        ) : (
          "A worker is scoring it. The first time, it must load the weights, which takes a while for large models."
        )}
      </p>
    </>
  );
}

function Outcome({ trial }: { trial: PrmTrial }) {
  const [picked, setPicked] = useState<number | null>(null);
  if (trial.status !== "succeeded")
    return (
      <Notice tone="bad" title="It was not scored">
        {trial.error}
      </Notice>
    );
  if (!trial.scores)
    return (
      <Notice tone="warn" title="It gives this trace no score">
        {trial.reason}.
      </Notice>
    );
  const agrees = agreement(trial);
  return (
    <>
      {agrees && (
        <Notice tone={agrees.tone} title={agrees.title}>
          {agrees.says}
        </Notice>
      )}
      <HeatStrip
        scores={trial.scores}
        scale={trial.scale}
        label="Steps with the PRM’s scores; select one to mark it below"
        picked={picked}
        onPick={setPicked}
      />
      <HeatKey scale={trial.scale} />
      {trial.score !== null && (
        <p className={classes.quiet}>Score of the whole trace: {formatTraceScore(trial.score)}</p>
      )}
      <ol className={classes.trySteps}>
        {trial.steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is the step's identity
          <li key={index} aria-current={index === picked || undefined}>
            <span>
              {index + 1}. {step}
            </span>
            <b>
              {numberWords(trial.scores?.[index], trial.scale)}
              {trial.expected && <small>card {numberWords(trial.expected[index], trial.scale)}</small>}
            </b>
          </li>
        ))}
      </ol>
    </>
  );
}
