import { useEffect, useRef } from "react";
import type { Rating } from "@/api/types";
import { type CandidateRow, countOf, ratingOf } from "@/protocol/afterError";
import type { DraftAction, DraftContent } from "@/protocol/draft";
import { isTyping } from "@/protocol/keys";
import { MathText } from "@/ui/math/MathText";
import classes from "./MistakeCard.module.css";
import { RatingButtons, showRating } from "./RatingButtons";
import { goToRow } from "./stepsInSight";

interface CandidateListProps {
  title: string;
  rows: readonly CandidateRow[];
  inHand: CandidateRow | null;
  content: DraftContent;
  raw: boolean;
  dispatch: (action: DraftAction) => void;
  onFocus: (row: CandidateRow) => void;
}

/** Texts to rate, shown as rows like those of steps. */
export function CandidateList({ title, rows, inHand, onFocus, ...rest }: CandidateListProps) {
  if (rows.length === 0) return null;
  return (
    <ol className={classes.rows} aria-label={title}>
      {rows.map((row, index) => (
        <Candidate
          key={row.key}
          row={row}
          name={`Candidate ${index + 1} of ${rows.length}`}
          focused={inHand?.key === row.key}
          onFocus={onFocus}
          {...rest}
        />
      ))}
    </ol>
  );
}

interface CandidateProps extends Omit<CandidateListProps, "title" | "rows" | "inHand"> {
  row: CandidateRow;
  name: string;
  focused: boolean;
}

function Candidate({ row, name, focused, content, raw, dispatch, onFocus }: CandidateProps) {
  const ref = useRef<HTMLLIElement>(null);
  const { rating, flagged } = ratingOf(row, content);
  const carried = content.carried.some(({ completion }) => completion !== null && row.completions.includes(completion));
  const count = countOf(row);
  useEffect(() => {
    if (focused && !isTyping()) goToRow(ref.current);
  }, [focused]);
  const rate = (value: Rating | null, unsure: boolean) =>
    dispatch({ type: "rateCandidate", row, rating: value, flagged: unsure });
  const said = `${rating === null ? "not rated" : `rated ${showRating(rating)}`}${flagged ? ", unsure" : ""}`;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k come here too
    <li
      ref={ref}
      className={`${classes.row} ${focused ? classes.now : ""} ${carried ? classes.hollow : ""}`}
      tabIndex={focused ? 0 : -1}
      aria-label={`${name}, ${said}${count > 1 ? `, ${count} equal ones` : ""}`}
      aria-current={focused || undefined}
      data-candidate={row.kind}
      onClick={() => onFocus(row)}
    >
      <RatingButtons
        className={classes.small}
        label={`Rating of ${name.toLowerCase()}`}
        rating={rating}
        reachable={focused}
        onRate={(value) => rate(value === rating ? null : value, flagged)}
      />
      <div className="read">
        <MathText text={row.text} raw={raw} />
        {carried && <div className={classes.quiet}>carried over</div>}
      </div>
      <span className={classes.margin}>
        {count > 1 && <span title={`${count} equal candidates`}>×{count}</span>}
        <button
          type="button"
          className={classes.unsure}
          aria-pressed={flagged}
          aria-label="Unsure"
          title="Unsure"
          tabIndex={focused ? 0 : -1}
          onClick={() => rate(rating, !flagged)}
        >
          ?
        </button>
      </span>
    </li>
  );
}
