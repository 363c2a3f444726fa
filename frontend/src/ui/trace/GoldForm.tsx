import { Checkbox, Textarea } from "@mantine/core";
import { useState } from "react";
import { Button } from "@/ui/Button";
import { Form, FormButtons } from "@/ui/Form";
import { MathText } from "@/ui/math/MathText";
import { ErrorNotice } from "@/ui/Notice";
import classes from "./GoldForm.module.css";
import { stepName } from "./words";

export const NO_ERROR = -1;

/** What a person enters about a gold item. */
export interface GoldSaid {
  /** First errors that pass: steps from 0, -1 = no error. */
  acceptable: number[];
  /** For an agent's run: decisive errors that pass; if there are none, they are not judged. */
  acceptable_decisive: number[];
  explanation: string;
  paragraph: string;
}

interface GoldFormProps {
  steps: string[];
  /** The trace is an agent's run, which may have a decisive error. */
  run: boolean;
  said: GoldSaid;
  /** The verb of the button: "Make it gold". */
  save: string;
  error: unknown;
  busy: boolean;
  onSave: (said: GoldSaid) => void;
  onCancel: () => void;
}

/** Scroll to a step ticked in advance, so that nobody approves it unseen below the edge of the list. */
function inSight(step: HTMLLIElement | null) {
  const list = step?.parentElement;
  if (step && list) list.scrollTop = step.offsetTop - list.offsetTop - (list.clientHeight - step.offsetHeight) / 2;
}

/** Which steps pass as the first error of a trace, why, and which paragraph of the guidelines it teaches. */
export function GoldForm({ steps, run, said, save, error, busy, onSave, onCancel }: GoldFormProps) {
  const [now, setNow] = useState(said);
  const [first] = useState(Math.min(...said.acceptable.filter((verdict) => verdict !== NO_ERROR)));
  const toggle = (verdict: number) => setNow((now) => ({ ...now, acceptable: toggled(now.acceptable, verdict) }));
  return (
    <Form label="Gold" onSubmit={() => onSave(now)}>
      <fieldset className={classes.verdicts}>
        <legend>Which first error passes? More than one may.</legend>
        <Checkbox
          label="No error: the whole trace is right"
          checked={now.acceptable.includes(NO_ERROR)}
          onChange={() => toggle(NO_ERROR)}
        />
        <ol>
          {steps.map((step, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its index
              key={index}
              ref={index === first ? inSight : undefined}
              data-chosen={now.acceptable.includes(index) || undefined}
            >
              <Checkbox
                aria-label={`The first error may be ${stepName(index)}`}
                checked={now.acceptable.includes(index)}
                onChange={() => toggle(index)}
              />
              <span className={classes.number}>{index + 1}</span>
              <div className="read">
                <MathText text={step} />
              </div>
            </li>
          ))}
        </ol>
      </fieldset>
      {run && (
        <fieldset className={classes.verdicts}>
          <legend>Which decisive error is accepted? If none is chosen, it is not judged.</legend>
          <div className={classes.decisive}>
            {steps.map((_, step) => (
              <Checkbox
                // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its index
                key={step}
                label={stepName(step)}
                checked={now.acceptable_decisive.includes(step)}
                onChange={() => setNow({ ...now, acceptable_decisive: toggled(now.acceptable_decisive, step) })}
              />
            ))}
          </div>
        </fieldset>
      )}
      <Textarea
        label="Explanation"
        description="Shown after a screening answer if the project shows it. TeX is rendered."
        autosize
        minRows={2}
        maxRows={10}
        maxLength={5000}
        value={now.explanation}
        onChange={(event) => setNow({ ...now, explanation: event.currentTarget.value })}
      />
      <Textarea
        label="Paragraph of the guidelines that it teaches"
        description="A quote, or its heading."
        autosize
        minRows={1}
        maxRows={6}
        maxLength={5000}
        value={now.paragraph}
        onChange={(event) => setNow({ ...now, paragraph: event.currentTarget.value })}
      />
      <ErrorNotice error={error} />
      <FormButtons>
        <Button kind="primary" type="submit" disabled={busy || now.acceptable.length === 0}>
          {busy ? "Saving…" : save}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
        {now.acceptable.length === 0 && <span className={classes.hint}>Choose at least one answer.</span>}
      </FormButtons>
    </Form>
  );
}

function toggled(steps: number[], step: number): number[] {
  return steps.includes(step) ? steps.filter((one) => one !== step) : [...steps, step].sort((a, b) => a - b);
}

/** "step 3 or step 5", "no error" */
export function acceptableWords(acceptable: number[]): string {
  return acceptable.map((verdict) => (verdict === NO_ERROR ? "no error" : stepName(verdict))).join(" or ");
}

/** The text for a labeler's answer. */
export function verdictWords(verdict: number | null): string {
  if (verdict === null) return "gave up or called it a bad problem";
  return verdict === NO_ERROR ? "no error" : stepName(verdict);
}
