import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { ProblemTree } from "@/api/projectTypes";
import { countOf } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { excerpt } from "@/ui/trace/excerpt";
import { OutcomeMark } from "@/ui/trace/TraceText";
import { Chips } from "./StepTold";
import classes from "./tree.module.css";
import {
  type AnswerRow,
  type BranchRow,
  type Forest,
  keyMeans,
  keyOf,
  type Row,
  rowsOf,
  toggled,
  type Unfolded,
} from "./treeRows";
import {
  briefChips,
  disputeWords,
  intervalWords,
  listedAnswers,
  outcomeWords,
  placeWords,
  restWords,
  rightWords,
  spreadWords,
} from "./treeWords";

interface TraceTreeProps {
  tree: ProblemTree;
  forest: Forest;
  unfolded: Unfolded;
  onUnfold: (unfolded: Unfolded) => void;
  /** The key of the chosen row. */
  chosen: string | null;
  onChoose: (row: BranchRow | AnswerRow) => void;
  /** The chosen row takes the keyboard focus at once, because the user jumped to it. */
  focused: boolean;
}

/**
 * The tree as WAI-ARIA defines it: one stop of the Tab key, arrow keys move between rows and open and close them, Enter
 * chooses. Rows are text only: their actions are in the panel next to the tree.
 */
export function TraceTree({ tree, forest, unfolded, onUnfold, chosen, onChoose, focused }: TraceTreeProps) {
  const rows = useMemo(() => rowsOf(forest, unfolded), [forest, unfolded]);
  const [inHand, setInHand] = useState(chosen ?? rows[0]?.key ?? "");
  const here = rows.some((row) => row.key === inHand) ? inHand : (rows[0]?.key ?? "");
  const list = useRef<HTMLDivElement>(null);
  const wanted = useRef(focused);
  useEffect(() => {
    if (!wanted.current) return;
    wanted.current = false;
    list.current?.querySelector<HTMLElement>(`[data-key="${here}"]`)?.focus();
  });
  const go = (key: string) => {
    wanted.current = true;
    setInHand(key);
  };
  const act = (row: Row) => {
    setInHand(row.key);
    if (row.kind === "rest") {
      // Move to the first of the branches that appear, in place of the row that was pressed.
      const [next] = row.hidden;
      onUnfold(toggled(row, unfolded));
      if (next) go(keyOf(next));
      return;
    }
    if (row.kind === "branch" && row.open === false) onUnfold(toggled(row, unfolded, true));
    onChoose(row);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows.find(({ key }) => key === here);
    if (!row) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act(row);
      return;
    }
    const means = keyMeans(event.key, rows, here);
    if (!means) return;
    event.preventDefault();
    if ("to" in means) go(means.to);
    else onUnfold(toggled(row, unfolded, means.open));
  };
  return (
    <div ref={list} role="tree" aria-label="The traces as a tree" className={classes.tree} onKeyDown={onKeyDown}>
      {rows.map((row) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys of all its rows
        <div
          key={row.key}
          role="treeitem"
          data-key={row.key}
          className={classes.row}
          style={{ "--level": row.level } as CSSProperties}
          tabIndex={row.key === here ? 0 : -1}
          aria-level={row.level}
          aria-posinset={row.place}
          aria-setsize={row.beside}
          aria-selected={row.key === chosen}
          {...(row.kind === "branch" && row.open !== null ? { "aria-expanded": row.open } : {})}
          onClick={() => act(row)}
        >
          <span
            className={classes.fold}
            aria-hidden
            onClick={(event) => {
              if (row.kind !== "branch" || row.open === null) return;
              event.stopPropagation();
              setInHand(row.key);
              onUnfold(toggled(row, unfolded));
            }}
          >
            {row.kind === "branch" && row.open !== null ? (row.open ? "▾" : "▸") : row.kind === "rest" ? "…" : "·"}
          </span>
          {row.kind === "branch" && <BranchCells row={row} tree={tree} />}
          {row.kind === "answer" && <AnswerCells row={row} />}
          {row.kind === "rest" && <span className={classes.rest}>{restWords(row.hidden)}</span>}
        </div>
      ))}
    </div>
  );
}

function BranchCells({ row, tree }: { row: BranchRow; tree: ProblemTree }) {
  const { branch } = row.node;
  const disputed = branch.steps.find((step) => step.first);
  const first = tree.first_dispute?.branch === branch.number;
  const single = branch.traces === 1 ? branch.answers[0] : undefined;
  const interval = intervalWords(branch.right_share, branch.outcomes);
  return (
    <>
      <span className={classes.said}>
        <small className={classes.place}>
          {placeWords(branch)}
          {single && `, trace ${single.traces[0]}`}
        </small>
        <span className={classes.excerpt}>
          <MathText text={excerpt(branch.steps[0]?.text ?? "")} excerpt />
        </span>
        {single && <Answer answer={single.answer} />}
        {disputed && (
          <span className={classes.dispute} data-first={first || undefined}>
            {first ? `First disagreement, at step ${disputed.place + 1}` : disputeWords(disputed)}
          </span>
        )}
        <Chips chips={briefChips(branch.steps, tree)} />
      </span>
      <span className={classes.figures}>
        {single ? (
          <OutcomeMark outcome={outcomeOf(single.outcomes)} />
        ) : (
          <>
            <OutcomeBar outcomes={branch.outcomes} />
            <span>
              {countOf(branch.traces, "trace")}, {rightWords(branch.right_share, branch.outcomes)}
            </span>
            {interval && <small>95 %: {interval}</small>}
          </>
        )}
        {tree.scorer && branch.score && <small>score {spreadWords(branch.score, tree.scorer.scale)}</small>}
      </span>
    </>
  );
}

function AnswerCells({ row }: { row: AnswerRow }) {
  const { answer, outcomes, traces } = row.answer;
  return (
    <>
      <span className={classes.said}>
        <small className={classes.place}>
          {traces.length === 1 ? `Trace ${traces[0]} ends here` : `${countOf(traces.length, "trace")} end here`}
        </small>
        <Answer answer={answer} />
      </span>
      <span className={classes.figures}>
        <OutcomeMark outcome={outcomeOf(outcomes)} />
      </span>
    </>
  );
}

function Answer({ answer }: { answer: string | null }) {
  return (
    <span className={classes.end}>
      <span>answers</span> {answer === null ? "nothing" : <MathText text={excerpt(answer)} excerpt />}
    </span>
  );
}

function outcomeOf({ correct, wrong }: { correct: number; wrong: number }): string {
  if (correct > 0 && wrong === 0) return "correct";
  return wrong > 0 && correct === 0 ? "wrong" : "ungraded";
}

/** The shares of right, wrong and ungraded traces as a bar; the text next to it says the same. */
export function OutcomeBar({ outcomes }: { outcomes: { correct: number; wrong: number; ungraded: number } }) {
  return (
    <span className={classes.bar} title={outcomeWords(outcomes)} aria-hidden>
      <i data-outcome="correct" style={{ flexGrow: outcomes.correct }} />
      <i data-outcome="wrong" style={{ flexGrow: outcomes.wrong }} />
      <i data-outcome="ungraded" style={{ flexGrow: outcomes.ungraded }} />
    </span>
  );
}

/** Which traces have which answer, the right ones first, one answer per line. */
export function AnswerList({ tree }: { tree: ProblemTree }) {
  const shown = listedAnswers(tree.answers);
  const left = tree.shown - shown.reduce((sum, { traces }) => sum + traces.length, 0);
  return (
    <ul className={classes.answers} aria-label="Answers">
      {shown.map((one) => (
        <li key={one.traces[0]}>
          <OutcomeMark outcome={outcomeOf(one.outcomes)} />
          <span>{one.answer === null ? "no answer" : <MathText text={excerpt(one.answer)} excerpt />}</span>
          <span className={classes.quiet}>{countOf(one.traces.length, "trace")}</span>
        </li>
      ))}
      {left > 0 && <li className={classes.quiet}>{countOf(left, "trace")} with other answers</li>}
    </ul>
  );
}
