import { NativeSelect, Switch, Textarea } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import * as limits from "@/api/limits";
import type { Rating } from "@/api/types";
import { isRatable } from "@/protocol/ratings";
import { MathText } from "@/ui/math/MathText";
import type { RunUnits } from "@/ui/run/runUnits";
import { BAD_PROBLEM_WORDS, ratingSign, ratingWord, stepName } from "@/ui/trace/words";
import classes from "./reviews.module.css";
import { foundError, type RulingDraft, rateStep } from "./ruling";

const RATINGS: Rating[] = [-1, 0, 1];

interface RulingFieldsProps {
  steps: string[];
  draft: RulingDraft;
  change: (next: (before: RulingDraft) => RulingDraft) => void;
  /** The step in hand, if keys rate. */
  current: number | null;
  raw?: boolean;
  /** For an agent's run: what is shown instead of its steps' texts. */
  run?: RunUnits | null;
  /** Shown below the fields: the buttons. */
  children: ReactNode;
}

/**
 * A reviewer's own label of a trace: the steps that the protocol wants rated, or what is wrong with the problem. If
 * there is room, everything besides the ratings is next to the steps.
 */
export function RulingFields({ steps, draft, change, current, raw = false, run = null, children }: RulingFieldsProps) {
  const error = foundError(draft);
  return (
    <>
      {!draft.bad && (
        <ol className={classes.steps}>
          {run && (
            <li data-before>
              <div className="read">{run.before}</div>
            </li>
          )}
          {steps.map((text, step) => (
            <StepField
              // biome-ignore lint/suspicious/noArrayIndexKey: the index is the step's identity
              key={step}
              step={step}
              text={text}
              body={run?.units[step]}
              raw={raw}
              rating={draft.ratings[step] ?? null}
              after={!isRatable(draft.protocol, draft.ratings, step)}
              current={current === step}
              onRate={(rating) => change((before) => rateStep(before, step, rating))}
            />
          ))}
        </ol>
      )}
      <div className={classes.beside}>
        <Switch
          label="The problem itself is bad"
          checked={draft.bad}
          onChange={(event) => {
            const bad = event.currentTarget.checked;
            change((before) => ({ ...before, bad }));
          }}
        />
        {draft.bad ? (
          <BadProblem draft={draft} change={change} />
        ) : (
          error >= 0 && (
            <Textarea
              label={`The mistake in ${stepName(error)} (optional)`}
              autosize
              minRows={2}
              {...limits.Mistake.explanation}
              value={draft.explanation}
              onChange={(event) => {
                const explanation = event.currentTarget.value;
                change((before) => ({ ...before, explanation }));
              }}
            />
          )
        )}
        <Textarea
          label="Why (optional)"
          description="For other reviewers; kept with the decision."
          autosize
          minRows={1}
          {...limits.SettleTaskIn.note}
          value={draft.note}
          onChange={(event) => {
            const note = event.currentTarget.value;
            change((before) => ({ ...before, note }));
          }}
        />
        {children}
      </div>
    </>
  );
}

function BadProblem({ draft, change }: Pick<RulingFieldsProps, "draft" | "change">) {
  return (
    <>
      <NativeSelect
        label="What is wrong with it"
        value={draft.badKind}
        data={[
          { value: "", label: "choose" },
          ...Object.entries(BAD_PROBLEM_WORDS).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(event) => {
          const badKind = event.currentTarget.value;
          change((before) => ({ ...before, badKind }));
        }}
      />
      <Textarea
        label="In a few words"
        autosize
        minRows={2}
        value={draft.badText}
        onChange={(event) => {
          const badText = event.currentTarget.value;
          change((before) => ({ ...before, badText }));
        }}
      />
    </>
  );
}

interface StepFieldProps {
  step: number;
  text: string;
  body?: ReactNode;
  raw: boolean;
  rating: number | null;
  after: boolean;
  current: boolean;
  onRate: (rating: Rating) => void;
}

function StepField({ step, text, body, raw, rating, after, current, onRate }: StepFieldProps) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (current) row.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <li ref={row} data-after={after || undefined} aria-current={current ? "step" : undefined}>
      <div className={classes.stepText}>{(!raw && body) || <MathText text={text} raw={raw} />}</div>
      <fieldset className={classes.choice}>
        <legend className="visually-hidden">Your rating of {stepName(step)}</legend>
        {RATINGS.map((value) => (
          <label key={value} data-rating={value} title={ratingWord(value)}>
            <input
              type="radio"
              name={`ruling-${step}`}
              checked={rating === value}
              disabled={after}
              onChange={() => onRate(value)}
              aria-label={`${ratingWord(value)}, ${stepName(step)}`}
            />
            <span aria-hidden>{ratingSign(value)}</span>
          </label>
        ))}
      </fieldset>
    </li>
  );
}
