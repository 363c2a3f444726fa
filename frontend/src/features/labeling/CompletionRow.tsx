import { memo, useEffect, useRef } from "react";
import type { Rated } from "@/api/pathTypes";
import type { Rating } from "@/api/types";
import type { RatingOrFlag } from "@/protocol/choose_step/stepDraft";
import { PathText } from "@/ui/trace/PathText";
import classes from "./Path.module.css";
import { RatingButtons, showRating } from "./RatingButtons";
import row from "./StepRow.module.css";
import { goToRow } from "./stepsInSight";

interface CompletionRowProps {
  completion: Rated;
  /** Its index among the completions shown, from 0. */
  at: number;
  of: number;
  said: RatingOrFlag;
  inHand: boolean;
  disabled: boolean;
  raw: boolean;
  /** The number of this row among the places where a traced symbol may occur (`data-traced`). */
  traced: number;
  onFocus: (at: number) => void;
  onRate: (at: number, number: number, rating: Rating) => void;
}

/** One completion: rating, text, and how often it was drawn. Its height is the same whatever is said about it. */
export const CompletionRow = memo(function CompletionRow(props: CompletionRowProps) {
  const { completion, at, of, said, inHand, disabled, raw, onFocus, onRate } = props;
  const ref = useRowFocus(inHand);
  const rated = said.rating === null ? "not rated" : `rated ${showRating(said.rating)}`;
  const name = [
    `Completion ${at + 1} of ${of}, ${rated}`,
    said.flagged && "unsure",
    completion.count > 1 && `came ${completion.count} times`,
  ];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: every click here has a key in the command list
    <li
      ref={ref}
      className={`${row.row} ${inHand ? row.now : ""}`}
      aria-label={name.filter(Boolean).join(", ")}
      aria-current={inHand ? "step" : undefined}
      tabIndex={inHand ? 0 : -1}
      data-row={at}
      onClick={() => onFocus(at)}
    >
      <span className={row.number}>
        <span className={row.chip} data-rating={said.rating ?? undefined} aria-hidden>
          {showRating(said.rating)}
        </span>
      </span>
      <RatingButtons
        className={row.segments}
        label={`Rating of completion ${at + 1}`}
        rating={said.rating}
        reachable={inHand}
        disabled={disabled}
        onRate={(rating) => onRate(at, completion.number, rating)}
      />
      <div className={`${row.text} read`} data-traced={props.traced}>
        <PathText text={completion.text} raw={raw} />
      </div>
      <span className={classes.margin} aria-hidden>
        {completion.count > 1 && <span title={`Came ${completion.count} times`}>×{completion.count}</span>}
        {said.flagged && <span className={classes.unsure}>unsure</span>}
      </span>
    </li>
  );
});

/** Keep the row in hand focused and in sight. */
export function useRowFocus(inHand: boolean) {
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (inHand && !isTyping()) goToRow(ref.current);
  }, [inHand]);
  return ref;
}

/** Rows that arrive while the labeler is typing must not take the keyboard focus. */
function isTyping(): boolean {
  return document.activeElement?.matches("textarea, input, dialog *") ?? false;
}
