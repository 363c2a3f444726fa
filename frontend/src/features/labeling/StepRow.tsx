import { memo, type ReactNode, useEffect, useRef } from "react";
import type { CarriedRating, Rating } from "@/api/types";
import { isTyping } from "@/protocol/keys";
import { formatDuration } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { RelativeTime } from "@/ui/RelativeTime";
import { RatingButtons, showRating } from "./RatingButtons";
import classes from "./StepRow.module.css";
import { bringIntoSight, goToRow } from "./stepsInSight";

/** From this many steps, the browser may skip drawing rows out of sight (which also clips the focus ring's shadow). */
const MANY_STEPS = 80;

export interface StepRowProps {
  step: number;
  stepCount: number;
  text: string;
  program: boolean;
  /** The delimiter that closes a formula opened by an earlier step. */
  within: string | null;
  raw: boolean;
  rating: Rating | null;
  focused: boolean;
  /** A row of the step's card is in hand, and has the focus ring instead. */
  rowInHand?: boolean;
  /** The step may not be rated. */
  after: boolean;
  /** The label's error is at this step. */
  isError: boolean;
  noticedAt: number | null;
  activeMs: number;
  /** Marked by the labeler to be looked at again. */
  marked: boolean;
  /** Found by the search, or by the step number being typed. */
  found: boolean;
  comment: string;
  splitReport: string | null;
  /** Where the rating was filled in from, as long as the labeler leaves it. */
  carried: CarriedRating | null;
  /** Only the first of several such steps in a row says where they come from. */
  saysWhence: boolean;
  /** In an assisted round: what the machine says about the step. */
  machine: string | null;
  /** While the earlier wrong step is being chosen: can it be chosen, or is it chosen? */
  pick: "no" | "possible" | "chosen";
  /** That choice would remove the step's rating. */
  takenBack: boolean;
  onFocus: (step: number) => void;
  onRate: (step: number, rating: Rating) => void;
  onPick: (step: number) => void;
  onComment: (step: number) => void;
  onSplitReport: (step: number) => void;
  /** Shown instead of the text: the typed steps of an agent's run. */
  body?: ReactNode;
  /** The card about the mistake, at the step with the error. */
  children?: ReactNode;
}

/** One step of the trace: number, rating, text, time, notes. Redrawn only when something of its own changes. */
export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { step, stepCount, rating, isError, focused, after, carried, pick, onFocus, onRate, onPick } = props;
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (focused && !isTyping()) goToRow(ref.current);
  }, [focused]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: also brings the card that a −1 opens into sight
  useEffect(() => {
    if (focused) ref.current?.scrollIntoView({ block: "nearest" });
  }, [focused, isError]);
  useEffect(() => {
    if (pick === "chosen") bringIntoSight(ref.current, "center");
  }, [pick]);

  const state = [
    classes.row,
    stepCount > MANY_STEPS ? classes.long : "",
    focused && pick === "no" && !props.rowInHand ? classes.now : "",
    isError ? classes.error : "",
    after ? classes.after : "",
    pick === "chosen" ? classes.candidate : "",
    pick === "possible" ? classes.pickable : "",
    props.found ? classes.found : "",
    carried || props.takenBack ? classes.hollow : "",
  ];
  const rated = rating === null ? "not rated" : `rated ${showRating(rating)}${carried ? ", carried over" : ""}`;
  const name = `Step ${step + 1} of ${stepCount}, ${after ? "stays unlabelled" : rated}`;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: every click here has a key in the command list
    <li
      ref={ref}
      className={state.join(" ")}
      aria-label={name}
      aria-current={focused ? "step" : undefined}
      tabIndex={focused ? 0 : -1}
      data-step={step}
      data-program={props.program || undefined}
      onClick={() => (pick === "no" ? onFocus(step) : onPick(step))}
    >
      <span className={classes.number}>
        {step + 1}
        {props.marked && (
          <span className={classes.mark} role="img" aria-label="Look again" title="Marked to look at again" />
        )}
        <span className={classes.chip} data-rating={rating ?? undefined} aria-hidden>
          {after ? "–" : showRating(rating)}
        </span>
      </span>
      {!after && (
        <RatingButtons
          className={classes.segments}
          label={`Rating of step ${step + 1}`}
          rating={rating}
          reachable={focused}
          disabled={pick !== "no"}
          onRate={(value) => onRate(step, value)}
        />
      )}
      <div className={`${classes.text} read`} data-traced={step}>
        {props.body ?? <MathText text={props.text} raw={props.raw} program={props.program} within={props.within} />}
      </div>
      <span className={`${classes.time} tabular`} title="Active time on this step">
        {props.activeMs >= 1000 ? formatDuration(props.activeMs) : ""}
      </span>
      <Notes {...props} />
      {props.children && <div className={classes.more}>{props.children}</div>}
    </li>
  );
});

function Notes(props: StepRowProps) {
  const {
    step,
    isError,
    noticedAt,
    comment,
    splitReport,
    carried,
    saysWhence,
    focused,
    machine,
    onComment,
    onSplitReport,
  } = props;
  const whence = carried !== null && (saysWhence || focused);
  if (!isError && comment === "" && splitReport === null && !whence && machine === null) return null;
  return (
    <div className={classes.notes}>
      {machine !== null && <span className={classes.machine}>{machine}</span>}
      {whence && (
        <span className={classes.whence}>
          Carried over from your label {carried.label_id}, <RelativeTime at={carried.submitted_at} />
        </span>
      )}
      {isError && (
        <span className={classes.firstError}>
          First error.{noticedAt !== null && ` Noticed at step ${noticedAt + 1} and moved here.`}
        </span>
      )}
      {comment !== "" && (
        <button type="button" className={classes.note} onClick={() => onComment(step)} title="Change the comment">
          {comment}
        </button>
      )}
      {splitReport !== null && (
        <button type="button" className={classes.note} onClick={() => onSplitReport(step)} title="Change the report">
          {`Split badly${splitReport ? `: ${splitReport}` : "."}`}
        </button>
      )}
    </div>
  );
}
