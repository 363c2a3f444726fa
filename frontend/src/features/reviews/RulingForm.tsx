import { NativeSelect, Switch, Textarea } from "@mantine/core";
import { useState } from "react";
import { Button } from "@/ui/Button";
import { Form, FormButtons } from "@/ui/Form";
import { MathText } from "@/ui/math/MathText";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { BAD_PROBLEM_WORDS, ratingSign, ratingWord, stepName } from "@/ui/trace/words";
import { type FullReview, useSettleTask } from "./queries";
import classes from "./reviews.module.css";
import { emptyRuling, type RulingDraft, rateStep, rulingLacks, sentRuling, startFrom } from "./ruling";

const RATINGS = [-1, 0, 1];

/** A reviewer's own label, which settles the task; the labels beside it stay as they are. */
export function RulingForm({ slug, review }: { slug: string; review: FullReview }) {
  const { task } = review;
  const settle = useSettleTask(slug, task.id);
  const [draft, setDraft] = useState(() => emptyRuling(task.trace.steps.length));
  const change = (changes: Partial<RulingDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const ruling = sentRuling(draft);
  const lacks = rulingLacks(draft);
  if (!review.can_settle) {
    return (
      <Panel title="Settle it">
        <p className={classes.aside}>The round is closed: its labels are frozen, and nothing more is settled in it.</p>
      </Panel>
    );
  }
  const settled = review.settlement === "ruled";
  return (
    <Panel
      title={settled ? "Settle it anew" : "Settle it"}
      note="With a label of your own. The labels stay as they are; exports of adjudicated labels take yours."
    >
      <Form label="Settle the task" onSubmit={() => ruling && settle.mutate(ruling)}>
        <ErrorNotice error={settle.error} title="Not settled" />
        <StartFrom review={review} start={(ratings) => setDraft((before) => startFrom(before, ratings))} />
        {!draft.bad && (
          <ol className={classes.steps}>
            {task.trace.steps.map((text, step) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the index is the step's identity
              <li key={step} data-after={isAfterError(draft, step) || undefined}>
                <span className={classes.stepText}>
                  <MathText text={text} />
                </span>
                <RatingChoice
                  step={step}
                  rating={draft.ratings[step] ?? null}
                  onRate={(rating) => setDraft((before) => rateStep(before, step, rating))}
                />
              </li>
            ))}
          </ol>
        )}
        <Switch
          label="The problem itself is bad"
          checked={draft.bad}
          onChange={(event) => change({ bad: event.currentTarget.checked })}
        />
        {draft.bad && (
          <>
            <NativeSelect
              label="What is wrong with it"
              value={draft.badKind}
              data={[
                { value: "", label: "choose" },
                ...Object.entries(BAD_PROBLEM_WORDS).map(([value, label]) => ({ value, label })),
              ]}
              onChange={(event) => change({ badKind: event.currentTarget.value })}
            />
            <Textarea
              label="In a few words"
              autosize
              minRows={2}
              value={draft.badText}
              onChange={(event) => change({ badText: event.currentTarget.value })}
            />
          </>
        )}
        {!draft.bad && draft.ratings.includes(-1) && (
          <Textarea
            label={`The mistake in ${stepName(draft.ratings.indexOf(-1))} (optional)`}
            autosize
            minRows={2}
            maxLength={20_000}
            value={draft.explanation}
            onChange={(event) => change({ explanation: event.currentTarget.value })}
          />
        )}
        <Textarea
          label="Why (optional)"
          description="For other reviewers; kept with the decision."
          autosize
          minRows={1}
          maxLength={5000}
          value={draft.note}
          onChange={(event) => change({ note: event.currentTarget.value })}
        />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={ruling === null || settle.isPending}>
            {settle.isPending ? "Settling…" : "Settle"}
          </Button>
          <span role="status" className={classes.aside}>
            {settle.isSuccess && settled ? "Settled." : (lacks ?? "")}
          </span>
        </FormButtons>
      </Form>
    </Panel>
  );
}

function isAfterError({ ratings }: RulingDraft, step: number): boolean {
  const error = ratings.indexOf(-1);
  return error >= 0 && step > error;
}

function StartFrom({ review, start }: { review: FullReview; start: (ratings: (number | null)[]) => void }) {
  const labels = review.task.labels.filter(({ status, ratings }) => status !== "superseded" && ratings.some(isRated));
  if (labels.length === 0) return null;
  return (
    <div className={classes.starts}>
      <span>Start from</span>
      {labels.map((label) => (
        <Button key={label.id} onClick={() => start(label.ratings)}>
          {label.labeler.display_name}
        </Button>
      ))}
    </div>
  );
}

function isRated(rating: number | null): boolean {
  return rating !== null;
}

interface RatingChoiceProps {
  step: number;
  rating: number | null;
  onRate: (rating: number) => void;
}

function RatingChoice({ step, rating, onRate }: RatingChoiceProps) {
  return (
    <fieldset className={classes.choice}>
      <legend className="visually-hidden">Your rating of {stepName(step)}</legend>
      {RATINGS.map((value) => (
        <label key={value} data-rating={value} title={ratingWord(value)}>
          <input
            type="radio"
            name={`ruling-${step}`}
            checked={rating === value}
            onChange={() => onRate(value)}
            aria-label={`${ratingWord(value)}, ${stepName(step)}`}
          />
          <span aria-hidden>{ratingSign(value)}</span>
        </label>
      ))}
    </fieldset>
  );
}
