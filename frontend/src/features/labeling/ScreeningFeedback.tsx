import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api } from "@/api/client";
import type { Feedback, Screening } from "@/api/qualityTypes";
import { ofLabel } from "@/api/runSteps";
import { useUser } from "@/api/session";
import type { Rating } from "@/api/types";
import { commandNamed } from "@/protocol/commands";
import { NO_CHOICES, useCommandKeys } from "@/protocol/keyMap";
import { Button } from "@/ui/Button";
import { ColorSchemeToggle } from "@/ui/ColorSchemeToggle";
import { Dialog } from "@/ui/Dialog";
import { MathText } from "@/ui/math/MathText";
import { ErrorNotice } from "@/ui/Notice";
import { useRunUnits } from "@/ui/run/useRunUnits";
import { ErrorState } from "@/ui/states";
import { acceptableWords, verdictWords } from "@/ui/trace/GoldForm";
import { GuidelinesPanel } from "./GuidelinesPanel";
import { InlineText } from "./InlineForms";
import { LoadingDesk } from "./LoadingDesk";
import layout from "./layout.module.css";
import { feedbackQuery, myQualityQuery } from "./queries";
import { showRating } from "./RatingButtons";
import classes from "./Screening.module.css";

/** After a screening answer: the whole trace with your own marks and the accepted ones, and why. Enter continues. */
export function FeedbackScreen({ slug, labelId, onNext }: { slug: string; labelId: number; onNext: () => void }) {
  const feedback = useQuery(feedbackQuery(labelId));
  const screening = useQuery(myQualityQuery(slug)).data?.screening;
  const choices = useUser().preferences.keys ?? NO_CHOICES;
  const [step, setStep] = useState<number | null>(null);
  const [guidelines, setGuidelines] = useState(false);
  const [objecting, setObjecting] = useState(false);
  const client = useQueryClient();
  const object = useMutation({
    mutationFn: (text: string) => api.post<Feedback>(`/api/labels/${labelId}/feedback`, { text }),
    onSuccess: (told) => client.setQueryData(feedbackQuery(labelId).queryKey, told),
  });
  const steps = feedback.data?.steps.length ?? 0;
  const run = useRunUnits(feedback.data?.typed_steps ?? null, steps, ofLabel, labelId);
  const look = (by: number) => setStep((old) => Math.max(0, Math.min(steps - 1, old === null ? 0 : old + by)));
  const list = ["next_step", "previous_step", "guidelines", "comment", "submit"].map(commandNamed).map((command) => ({
    ...command,
    enabled: () => !guidelines && !objecting,
    run: () => {
      if (command.name === "next_step") look(1);
      else if (command.name === "previous_step") look(-1);
      else if (command.name === "guidelines") setGuidelines(true);
      else if (command.name === "comment") setObjecting(true);
      else onNext();
    },
  }));
  useCommandKeys(list, choices, null);
  const shown = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: which row that is depends on the step
  useEffect(() => {
    shown.current?.scrollIntoView({ block: "nearest" });
  }, [step, feedback.data]);

  const over = screening?.passed != null;
  const next = over
    ? "See the result"
    : screening
      ? `Next task, ${screening.done + 1} of ${screening.of}`
      : "Next task";
  if (feedback.isPending) return <LoadingDesk />;
  if (feedback.isError) return <ErrorState error={feedback.error} actions={<Button onClick={onNext}>{next}</Button>} />;
  const { passed, verdict, acceptable, explanation, paragraph, problem_text, answer } = feedback.data;
  const first = acceptable.find((one) => one >= 0) ?? null;
  const inHand = step ?? first ?? verdict ?? -1;
  return (
    <div className={layout.page}>
      <header className={layout.header}>
        <span className={layout.brand}>Stepmark</span>
        <span className={layout.where}>
          Screening{screening && ` · task ${Math.min(screening.done, screening.of)} of ${screening.of}`}
        </span>
        <span className={layout.right}>
          <ColorSchemeToggle />
        </span>
      </header>
      <main className={layout.work}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <aside className={layout.problem} aria-label="Problem" tabIndex={0}>
          <h2 className="eyebrow">Problem</h2>
          <div className="read">
            <MathText text={problem_text} />
          </div>
          {answer !== null && (
            <div className={layout.guess}>
              current guess of the answer
              <div className="read">
                <MathText text={answer} />
              </div>
            </div>
          )}
          {screening && <Results screening={screening} />}
        </aside>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <section className={layout.steps} aria-label="Your answer and the accepted one" tabIndex={0}>
          <h1 className={classes.heading} data-passed={passed || undefined}>
            {headingOf(passed, verdict, acceptable)}
          </h1>
          <p className={classes.said}>
            You said {verdictWords(verdict)}. The accepted answer is {acceptableWords(acceptable)}.{" "}
            {chanceWords(screening)}
          </p>
          {objecting ? (
            <InlineText
              title="I disagree"
              field="Why is the accepted answer wrong? The people who maintain these tasks read it; your result does not change."
              initial={object.variables ?? feedback.data.objection}
              onKeep={(text) => {
                setObjecting(false);
                if (text.trim() !== feedback.data.objection) object.mutate(text);
              }}
            />
          ) : (
            <Objection
              text={object.variables ?? feedback.data.objection}
              error={object.error}
              onAgain={() => object.variables !== undefined && object.mutate(object.variables)}
            />
          )}
          {first === null && <Reason explanation={explanation} paragraph={paragraph} />}
          <ol className={classes.rows}>
            <li className={classes.head} aria-hidden>
              <span />
              <span>you</span>
              <span>accepted</span>
            </li>
            {run && <li className="read">{run.before}</li>}
            {feedback.data.steps.map((text, index) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its place in the trace
                key={index}
                ref={inHand === index ? shown : undefined}
                className={classes.row}
                data-in-hand={inHand === index || undefined}
                data-off={acceptedRating(index, acceptable) === null || undefined}
                aria-current={inHand === index ? "step" : undefined}
              >
                <span className={classes.number}>{index + 1}</span>
                <Mark who="You" rating={feedback.data.ratings[index] ?? null} />
                <Mark who="Accepted" rating={acceptedRating(index, acceptable)} />
                <div>
                  <div className="read">{run?.units[index] ?? <MathText text={text} />}</div>
                  {index === first && (
                    <>
                      <b className={classes.here}>The first error is here.</b>
                      <Reason explanation={explanation} paragraph={paragraph} />
                    </>
                  )}
                  {index === verdict && !acceptable.includes(index) && (
                    <p className={classes.said}>{ownErrorWords(index, first)}</p>
                  )}
                </div>
              </li>
            ))}
          </ol>
        </section>
      </main>
      <footer className={classes.footer}>
        <span className={classes.keys}>
          <kbd>j</kbd> <kbd>k</kbd> steps
        </span>
        <Button onClick={() => setGuidelines(true)}>
          Guidelines <kbd>g</kbd>
        </Button>
        <Button onClick={() => setObjecting(true)}>
          I disagree <kbd>c</kbd>
        </Button>
        <Button kind="primary" onClick={onNext}>
          {next} <kbd>↵</kbd>
        </Button>
      </footer>
      {guidelines && (
        <Dialog title="Guidelines" onClose={() => setGuidelines(false)}>
          <GuidelinesPanel slug={slug} />
        </Dialog>
      )}
    </div>
  );
}

/** The labeler's objection to the accepted answer. If sending failed, it stays readable and can be sent again. */
function Objection({ text, error, onAgain }: { text: string; error: Error | null; onAgain: () => void }) {
  if (error)
    return (
      <>
        <ErrorNotice error={error} />
        <p className={classes.said}>
          Not sent yet: {text} <Button onClick={onAgain}>Send again</Button>
        </p>
      </>
    );
  if (text.trim() === "") return null;
  return (
    <p className={classes.said} role="status">
      You disagree: {text}
    </p>
  );
}

function Reason({ explanation, paragraph }: { explanation: string; paragraph: string }) {
  return (
    <>
      {explanation && (
        <div className="read">
          <MathText text={explanation} />
        </div>
      )}
      {paragraph && (
        <blockquote className={classes.paragraph}>
          <small>From the guidelines</small>
          {paragraph}
        </blockquote>
      )}
    </>
  );
}

function Mark({ who, rating }: { who: string; rating: Rating | null }) {
  return (
    <span className={classes.mark} data-rating={rating ?? undefined}>
      <span className="visually-hidden">{`${who}: `}</span>
      {showRating(rating)}
      {rating === null && <span className="visually-hidden">not rated</span>}
    </span>
  );
}

/** One square per task: accepted, not accepted, or still to come. */
function Results({ screening: { results, of, needed } }: { screening: Screening }) {
  return (
    <section className={classes.results}>
      <p>
        Screening: {needed} of {of} must be accepted
      </p>
      <ol>
        {Array.from({ length: of }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a task is identified by its place in the screening
          <li key={index} data-passed={results[index]}>
            <span className="visually-hidden">{`Task ${index + 1}: `}</span>
            {results[index] === undefined ? index + 1 : results[index] ? "✓" : "✕"}
            <span className="visually-hidden">{wordsOf(results[index])}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function wordsOf(passed: boolean | undefined): string {
  return passed === undefined ? " to come" : passed ? " accepted" : " not accepted";
}

/** Steps before the first error are good to build on. If several steps are accepted as the error, each is a −1. */
function acceptedRating(step: number, acceptable: number[]): Rating | null {
  if (acceptable.includes(step)) return -1;
  const errors = acceptable.filter((one) => one >= 0);
  return acceptable.includes(-1) || step < Math.max(...errors) ? 1 : null;
}

export function headingOf(passed: boolean, verdict: number | null, acceptable: number[]): string {
  if (passed) return "Accepted";
  const [first] = acceptable.filter((one) => one >= 0);
  if (first === undefined) return "Not accepted: there is no error";
  if (verdict === null) return "Not accepted: the first error can be found";
  if (verdict < 0) return "Not accepted: there is an error";
  const by = Math.abs(verdict - first);
  return `Not accepted: the first error is ${by === 1 ? "one step" : `${by} steps`} ${verdict > first ? "earlier" : "later"}`;
}

function ownErrorWords(own: number, first: number | null): string {
  return first !== null && own > first
    ? `Your first error is here. It may be wrong too, but only step ${first + 1} is the first error.`
    : "Your first error is here, but nothing is wrong with it yet.";
}

/** Return what can still become of the attempt. */
export function chanceWords(screening: Screening | null | undefined): string {
  if (!screening || screening.passed !== null) return "";
  const got = screening.results.filter(Boolean).length;
  const left = screening.of - screening.done;
  if (got >= screening.needed) return "You have already passed; the rest is practice.";
  if (got + left < screening.needed) return "This try can no longer be passed; the rest is practice.";
  const more = screening.needed - got;
  if (left === 1) return "To pass, the last task must be accepted.";
  return `To pass, ${more === left ? "each" : more} of the next ${left} must be accepted.`;
}
