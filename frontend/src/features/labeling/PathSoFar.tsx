import { memo, type ReactNode } from "react";
import type { Path, PathStep } from "@/api/pathTypes";
import { writtenSteps } from "@/protocol/choose_step/path";
import { countOf } from "@/ui/format";
import { PathText } from "@/ui/trace/PathText";
import { originOf } from "@/ui/trace/pathWords";
import { useRowFocus } from "./CompletionRow";
import classes from "./Path.module.css";
import row from "./StepRow.module.css";

/** How many steps of a long path are always shown. */
const SHOWN = 4;

interface PathSoFarProps {
  path: Path;
  /** The row in hand; steps of the path have negative numbers. */
  inHand: number;
  unfolded: boolean;
  raw: boolean;
  comments: Readonly<Record<number, string>>;
  /** The indices of the steps marked to be looked at again. */
  marks: readonly number[];
  /** The step under which a form is open, and the form. */
  inline: { place: number; form: ReactNode } | null;
  foldKey: string;
  historyKey: string;
  onUnfold: () => void;
  onFocus: (row: number) => void;
  onHistory: () => void;
}

/** The steps chosen and written so far, each with a short note on its origin. */
export function PathSoFar({ path, inHand, unfolded, raw, comments, marks, inline, ...props }: PathSoFarProps) {
  const { steps, discarded } = path;
  if (steps.length === 0) return null;
  const hidden = unfolded || inHand < -SHOWN || steps.length <= SHOWN + 1 ? 0 : steps.length - SHOWN;
  const branches = new Map(discarded.map(({ step }) => [step, discarded.filter((one) => one.step === step).length]));
  return (
    <>
      <h2 className="eyebrow">{pathWords(steps)}</h2>
      <ol className={classes.path} start={hidden + 1}>
        {hidden > 0 && (
          <li>
            <button type="button" className={classes.fold} onClick={props.onUnfold}>
              <span>
                Steps 1 to {hidden} <kbd>{props.foldKey}</kbd>
              </span>
            </button>
          </li>
        )}
        {steps.slice(hidden).map((step) => (
          <PathRow
            key={step.step}
            step={step}
            at={step.step - steps.length}
            inHand={inHand === step.step - steps.length}
            latest={step.step === steps.length - 1 && step.great > 1}
            raw={raw}
            comment={comments[step.step] ?? ""}
            marked={marks.includes(step.step)}
            branches={branches.get(step.step) ?? 0}
            historyKey={props.historyKey}
            onFocus={props.onFocus}
            onHistory={props.onHistory}
          >
            {inline?.place === step.step && inline.form}
          </PathRow>
        ))}
      </ol>
    </>
  );
}

/** "Path so far · 14 steps, 3 written by you" */
function pathWords(steps: readonly PathStep[]): string {
  const written = writtenSteps(steps);
  return `Path so far · ${countOf(steps.length, "step")}${written > 0 ? `, ${written} written by you` : ""}`;
}

interface PathRowProps {
  step: PathStep;
  at: number;
  inHand: boolean;
  /** The server has only just drawn it. */
  latest: boolean;
  raw: boolean;
  comment: string;
  marked: boolean;
  /** How often a step at this place was taken back. */
  branches: number;
  historyKey: string;
  onFocus: (row: number) => void;
  onHistory: () => void;
  children?: ReactNode;
}

const PathRow = memo(function PathRow(props: PathRowProps) {
  const { step, at, inHand, latest, comment, branches } = props;
  const ref = useRowFocus(inHand);
  const origin = originOf(step);
  const look = [row.row, classes.step, inHand ? row.now : "", latest && !inHand ? classes.latest : ""];
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the click has keys in the command list */}
      <li
        ref={ref}
        className={look.join(" ")}
        aria-label={`Step ${step.step + 1} of the path, ${origin}`}
        aria-current={inHand ? "step" : undefined}
        tabIndex={inHand ? 0 : -1}
        data-row={at}
        onClick={() => props.onFocus(at)}
      >
        <span className={row.number}>
          {step.step + 1}
          {props.marked && (
            <span className={row.mark} role="img" aria-label="Look again" title="Marked to look at again" />
          )}
        </span>
        <span className={classes.origin}>
          <Origin words={origin} />
        </span>
        <div className={`${row.text} read`} data-traced={step.step}>
          <PathText text={step.text} raw={props.raw} />
        </div>
        {comment !== "" && !props.children && <div className={row.notes}>{`“${comment}”`}</div>}
        {props.children && <div className={row.more}>{props.children}</div>}
      </li>
      {branches > 0 && (
        <li className={classes.branchRow}>
          <button type="button" className={classes.branch} onClick={props.onHistory}>
            {branches === 1 ? "A step here was taken back" : `Steps here were taken back ${branches} times`}
            <kbd>{props.historyKey}</kbd>
          </button>
        </li>
      )}
    </>
  );
});

/** Emphasises "drawn" (by the server) and "written by you", to tell these steps from those merely offered. */
function Origin({ words }: { words: string }) {
  const strong = /^(drawn|written by you)/.exec(words)?.[0];
  if (!strong) return words;
  return (
    <>
      <strong>{strong}</strong>
      {words.slice(strong.length)}
    </>
  );
}
