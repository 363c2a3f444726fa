// biome-ignore-all lint/a11y/noRedundantRoles: some browsers stop treating a table as one when its display changes
import { type CSSProperties, useMemo } from "react";
import { formatDuration } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { codeSteps } from "@/ui/math/programs";
import type { RunUnits } from "@/ui/run/runUnits";
import { formatStepScore, heatColor, lowestStep, type Scale, type StepScore, stepShare } from "./score";
import {
  carriedWords,
  disagreements,
  notesByStep,
  type ShownLabel,
  type StepAlternative,
  type StepNote,
} from "./shownLabel";
import classes from "./trace.module.css";
import { ratingSign, ratingWord } from "./words";

interface LabelMatrixProps {
  steps: string[];
  labels: ShownLabel[];
  alternatives: StepAlternative[];
  /** Ratings from the file, shown as their own column. */
  recorded?: (number | null)[] | null;
  /** The first wrong step according to the file. */
  recordedFirstError?: number | null;
  raw: boolean;
  /** A PRM's score of each step, shown as its own column. */
  scores?: StepScores | null;
  /** For an agent's run: shown in place of its steps' texts. */
  run?: RunUnits | null;
  /** A step to highlight: the one picked in a strip. */
  picked?: number | null;
}

interface StepScores {
  name: string;
  scale: Scale;
  steps: StepScore[];
}

export function RatingMark({ rating }: { rating: number | null | undefined }) {
  const tone = { "-1": classes.minus, "0": classes.zero, "1": classes.plus }[String(rating)] ?? classes.none;
  return (
    <span className={`${classes.rating} ${tone}`} title={ratingWord(rating)}>
      <span aria-hidden>{ratingSign(rating)}</span>
      <span className="visually-hidden">{ratingWord(rating)}</span>
    </span>
  );
}

/** A trace step by step, and next to each step every label's rating and the time it took. */
export function LabelMatrix({
  steps,
  labels,
  alternatives,
  recorded,
  recordedFirstError,
  raw,
  scores,
  picked,
  run,
}: LabelMatrixProps) {
  const notes = notesByStep(labels);
  const disputed = disagreements(labels);
  const programs = useMemo(() => codeSteps(steps), [steps]);
  const columns = labels.length + (recorded ? 1 : 0) + (scores ? 1 : 0);
  const lowest = scores ? lowestStep(scores.steps) : null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard
    <section className={classes.scroll} tabIndex={0} aria-label="Steps and ratings">
      <table role="table" className={classes.matrix} style={{ "--columns": columns } as CSSProperties}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              #
            </th>
            <th role="columnheader" scope="col">
              Step
            </th>
            {scores && (
              <th role="columnheader" scope="col" title={scores.name}>
                the model
              </th>
            )}
            {recorded && (
              <th role="columnheader" scope="col">
                in the file
              </th>
            )}
            {labels.map((label) => (
              <th role="columnheader" scope="col" key={label.id} title={label.labeler.display_name}>
                {label.labeler.display_name}
                {label.excluded && <small> left out</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {run && !raw && (
            <tr role="row">
              <td role="cell" className={classes.number} />
              <td role="cell" className={classes.stepText} colSpan={columns + 1}>
                <div className="read">{run.before}</div>
              </td>
            </tr>
          )}
          {steps.map((step, index) => (
            <tr
              role="row"
              // biome-ignore lint/suspicious/noArrayIndexKey: the index is the step's identity
              key={index}
              id={stepAnchor(index)}
              data-disputed={disputed.has(index) || undefined}
              data-picked={picked === index || undefined}
            >
              <td role="cell" className={classes.number}>
                {index + 1}
              </td>
              <td role="cell" className={classes.stepText}>
                <div className={classes.far} style={{ "--lines": Math.ceil(step.length / 80) } as CSSProperties}>
                  <div className="read">
                    {run && !raw ? (
                      run.units[index]
                    ) : (
                      <MathText text={step} raw={raw} program={programs[index] ?? false} />
                    )}
                  </div>
                  {recordedFirstError === index && <p className={classes.firstError}>First error, per the file.</p>}
                  {lowest === index && <p className={classes.lowest}>The model doubts this step most.</p>}
                  {disputed.has(index) && <p className={classes.dispute}>The labels differ here.</p>}
                  {alternatives
                    .filter((alternative) => alternative.step === index)
                    .map((alternative) => (
                      <AlternativeText key={alternative.id} alternative={alternative} labels={labels} raw={raw} />
                    ))}
                  <Notes notes={notes.get(index) ?? []} />
                </div>
              </td>
              {scores && (
                <td role="cell" className={classes.mark} data-name="the model">
                  <ScoreMark value={scores.steps[index]} scale={scores.scale} />
                </td>
              )}
              {recorded && (
                <td role="cell" className={classes.mark} data-name="in the file">
                  <RatingMark rating={recorded[index]} />
                </td>
              )}
              {labels.map((label) => (
                <td
                  role="cell"
                  key={label.id}
                  className={classes.mark}
                  data-name={label.labeler.display_name}
                  data-unrated={(label.ratings[index] ?? null) === null || undefined}
                >
                  <RatingMark rating={label.ratings[index]} />
                  <small>
                    {carriedWords(label, index) ??
                      (label.step_active_ms[index] ? formatDuration(label.step_active_ms[index]) : "")}
                  </small>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function stepAnchor(step: number): string {
  return `step-${step + 1}`;
}

/** Bring a step's row into view; again once the rows around it are as high as they are, which were guessed before. */
export function showStep(step: number): void {
  const show = () => document.getElementById(stepAnchor(step))?.scrollIntoView({ block: "center" });
  show();
  requestAnimationFrame(() => requestAnimationFrame(show));
}

function ScoreMark({ value, scale }: { value: StepScore | undefined; scale: Scale }) {
  if (value === undefined) return <span className={classes.none}>·</span>;
  return (
    <span className={classes.score}>
      <i aria-hidden style={{ background: heatColor(stepShare(value, scale)) }} />
      {formatStepScore(value, scale)}
    </span>
  );
}

function Notes({ notes }: { notes: StepNote[] }) {
  return notes.map((note, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: notes of a finished label never move
    <div key={index} className={classes.note}>
      <b>{note.labeler}</b> <MathText text={note.text} />
    </div>
  ));
}

interface AlternativeTextProps {
  alternative: StepAlternative;
  labels: ShownLabel[];
  raw: boolean;
}

function AlternativeText({ alternative, labels, raw }: AlternativeTextProps) {
  const ratings = labels.flatMap((label) =>
    label.alternatives
      .filter((given) => given.completion === alternative.id)
      .map((given) => ({ ...given, labeler: label.labeler.display_name, label: label.id })),
  );
  return (
    <div className={classes.alternative}>
      <p>{alternative.source === "human" ? "Written by a labeler instead" : "Alternative"}</p>
      <div className="read">
        <MathText text={alternative.text} raw={raw} />
      </div>
      {ratings.map((given) => (
        <span key={given.label} className={classes.given}>
          <RatingMark rating={given.rating} /> {given.labeler}
          {given.flagged && ", unsure"}
          {given.chosen && ", chosen"}
        </span>
      ))}
    </div>
  );
}
