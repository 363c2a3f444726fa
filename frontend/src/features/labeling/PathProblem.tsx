import { type ReactNode, useRef } from "react";
import type { Path } from "@/api/pathTypes";
import type { Label } from "@/api/types";
import { type PathBench, pathCommandNamed } from "@/protocol/choose_step/commands";
import { type Command, type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { MathText } from "@/ui/math/MathText";
import { answerText } from "@/ui/trace/pathWords";
import layout from "./layout.module.css";
import classes from "./Path.module.css";
import { ProblemLine } from "./ProblemLine";
import { IN_PROBLEM } from "./symbolTrace";

interface PathProblemProps {
  label: Label;
  path: Path;
  raw: boolean;
  reference: string | null;
  reported: boolean;
  choices: KeyChoices;
  onRun: (command: Command<PathBench>) => void;
  onEnter: () => void;
  onLeave: () => void;
  /** Shown at the end of the column. */
  children?: ReactNode;
}

/** The problem, and in three lines how to choose a path. It scrolls on its own; on a phone, one line of it remains. */
export function PathProblem({
  label,
  path,
  raw,
  reference,
  choices,
  onRun,
  onEnter,
  onLeave,
  ...props
}: PathProblemProps) {
  const { problem } = label;
  const pane = useRef<HTMLElement>(null);
  const about = ["Problem", problem.subject, problem.level ? `level ${problem.level}` : null];
  const links: [string, string][] = [
    ["bad_problem", "Bad problem"],
    ["raw", raw ? "Rendered text" : "Raw text"],
  ];
  if (problem.answer !== null) {
    links.unshift(["answer_wrong", props.reported ? "Guess reported as wrong" : "The guess looks wrong"]);
  }
  if (label.reference_solution_available && reference === null) links.push(["reference", "Reference solution"]);
  const text = <ProblemText problem={problem} raw={raw} />;
  return (
    <>
      <ProblemLine problem={problem.text} pane={pane}>
        {text}
      </ProblemLine>
      <aside
        ref={pane}
        className={layout.problem}
        aria-label="Problem"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        onPointerEnter={onEnter}
        onPointerLeave={onLeave}
      >
        <h1 className="eyebrow">{about.filter(Boolean).join(" · ")}</h1>
        <div data-traced={IN_PROBLEM}>{text}</div>
        <div className={layout.links}>
          {links.map(([name, words]) => {
            const command = pathCommandNamed(name);
            return (
              <button key={name} type="button" className={layout.headerButton} onClick={() => onRun(command)}>
                {words} <kbd>{showKey(keysOf(command, choices)[0] ?? "")}</kbd>
              </button>
            );
          })}
        </div>
        {reference !== null && (
          <section className={layout.reference}>
            <h2 className="eyebrow">Reference solution · your look was recorded</h2>
            <div className="read">
              <MathText text={reference} raw={raw} />
            </div>
          </section>
        )}
        <HowItGoes path={path} giveUpKey={showKey(keysOf(pathCommandNamed("give_up"), choices)[0] ?? "")} />
        {props.children}
      </aside>
    </>
  );
}

function ProblemText({ problem, raw }: { problem: Label["problem"]; raw: boolean }) {
  return (
    <>
      <div className="read">
        <MathText text={problem.text} raw={raw} />
      </div>
      {problem.answer !== null && (
        <div className={layout.guess}>
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
}

function HowItGoes({ path, giveUpKey }: { path: Path; giveUpKey: string }) {
  return (
    <dl className={classes.facts}>
      <dt>Great</dt>
      <dd>the server draws the next step from the great ones</dd>
      <dt>None great</dt>
      <dd>
        {path.neutral_may_be_chosen ? "it draws from the okay ones, or you write the step" : "you write the step"}
      </dd>
      <dt>Ends</dt>
      <dd>
        with a final answer, or <kbd>{giveUpKey}</kbd> give up
      </dd>
    </dl>
  );
}
