import { type ReactNode, useRef } from "react";
import type { Label } from "@/api/types";
import { commandNamed, type Workbench } from "@/protocol/commands";
import type { DraftContent } from "@/protocol/draft";
import { type Command, type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { MathText } from "@/ui/math/MathText";
import { answerText } from "@/ui/trace/pathWords";
import classes from "./layout.module.css";
import { ProblemLine } from "./ProblemLine";
import { IN_PROBLEM } from "./symbolTrace";

interface ProblemPaneProps {
  label: Label;
  content: DraftContent;
  raw: boolean;
  reference: string | null;
  choices: KeyChoices;
  onRun: (command: Command<Workbench>) => void;
  onEnter: () => void;
  onLeave: () => void;
  /** Shown at the end of the column. */
  children?: ReactNode;
}

/** The problem with the current guess of its answer. It scrolls on its own; on a phone, one line of it remains. */
export function ProblemPane(props: ProblemPaneProps) {
  const { label, content, raw, reference, choices, onRun, onEnter, onLeave } = props;
  const { problem } = label;
  const pane = useRef<HTMLElement>(null);
  const about = ["Problem", problem.subject, problem.level ? `level ${problem.level}` : null]
    .filter(Boolean)
    .join(" · ");
  const answerReport = content.reports.find((report) => report.kind === "answer_wrong");
  const links: [string, string][] = [
    ["bad_problem", "Bad problem"],
    ["raw", raw ? "Rendered text" : "Raw text"],
  ];
  if (problem.answer !== null || answerReport)
    links.unshift(["answer_wrong", answerReport ? "Guess reported as wrong" : "The guess looks wrong"]);
  if (label.earlier_labels > 0) links.unshift(["earlier", `Your earlier labels (${label.earlier_labels})`]);
  if (label.reference_solution_available && reference === null) links.push(["reference", "Reference solution"]);
  const text = (
    <>
      <div className="read">
        <MathText text={problem.text} raw={raw} />
      </div>
      {problem.answer !== null && (
        <div className={classes.guess}>
          <span data-not-read>current guess of the answer</span>
          <div className="read">
            <MathText text={answerText(problem.answer)} raw={raw} />
          </div>
          {problem.accepted_answers.length > 0 && <span data-not-read>right too</span>}
          {problem.accepted_answers.map((answer) => (
            <div key={answer} className="read">
              <MathText text={answerText(answer)} raw={raw} />
            </div>
          ))}
        </div>
      )}
    </>
  );
  return (
    <>
      <ProblemLine problem={problem.text} pane={pane}>
        {text}
      </ProblemLine>
      <aside
        ref={pane}
        className={classes.problem}
        aria-label="Problem"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        onPointerEnter={onEnter}
        onPointerLeave={onLeave}
      >
        <h1 className="eyebrow">{about}</h1>
        <div data-traced={IN_PROBLEM}>{text}</div>
        <div className={classes.links}>
          {links.map(([name, words]) => {
            const command = commandNamed(name);
            return (
              <button key={name} type="button" className={classes.headerButton} onClick={() => onRun(command)}>
                {words} <kbd>{showKey(keysOf(command, choices)[0] ?? "")}</kbd>
              </button>
            );
          })}
        </div>
        {reference !== null && (
          <section className={classes.reference}>
            <h2 className="eyebrow">Reference solution · your look was recorded</h2>
            <div className="read">
              <MathText text={reference} raw={raw} />
            </div>
          </section>
        )}
        {props.children}
      </aside>
    </>
  );
}
