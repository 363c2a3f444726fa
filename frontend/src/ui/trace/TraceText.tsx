import { type ReactNode, useState } from "react";
import { Button } from "@/ui/Button";
import { MathText } from "@/ui/math/MathText";
import { Facts } from "@/ui/Panel";
import { StatusMark } from "@/ui/StatusMark";
import { excerpt } from "./excerpt";
import classes from "./trace.module.css";
import { OUTCOME_WORDS } from "./words";

export function OutcomeMark({ outcome }: { outcome: string }) {
  const tone = outcome === "correct" ? "good" : outcome === "wrong" ? "bad" : "quiet";
  return <StatusMark tone={tone}>{OUTCOME_WORDS[outcome] ?? outcome}</StatusMark>;
}

/** The start of a problem in a list: two lines, with TeX rendered and a cut-off word or formula left out. */
export function ProblemExcerpt({ text }: { text: string }) {
  return (
    <span className={`${classes.excerpt} ${TALL.test(text) ? classes.tall : ""}`}>
      <MathText text={excerpt(text)} excerpt />
    </span>
  );
}

/** A matrix in the first line is taller than two lines of text, so a box that clamps lines may show none of them. */
const TALL = /\\begin\s*\{/;

interface ShownProblem {
  text: string;
  answer: string | null;
  accepted_answers: string[];
  reference_solution: string | null;
}

interface TraceHeadProps {
  problem: ShownProblem;
  finalAnswer: string | null;
  outcome: string;
  raw: boolean;
  /** The right answer in the trace's file, if it differs from the one stored. */
  otherAnswer?: string;
}

/** The problem with its ground truth, and the trace's answer. */
export function TraceHead({ problem, finalAnswer, outcome, raw, otherAnswer = "" }: TraceHeadProps) {
  const answer = (text: string | null) => (text === null ? "none" : <MathText text={text} raw={raw} />);
  return (
    <div className={classes.head}>
      <div className="read">
        <MathText text={problem.text} raw={raw} />
      </div>
      <Facts
        facts={[
          ["Ground-truth answer", answer(problem.answer), problem.answer],
          ...(problem.accepted_answers.length > 0
            ? ([["Right too", <AcceptedAnswers key="accepted" problem={problem} raw={raw} />]] as [string, ReactNode][])
            : []),
          ...(otherAnswer
            ? ([["Right answer in this trace’s file", answer(otherAnswer), otherAnswer]] as [
                string,
                ReactNode,
                string,
              ][])
            : []),
          ["The trace's answer", answer(finalAnswer), finalAnswer],
          ["Outcome", <OutcomeMark key="outcome" outcome={outcome} />],
        ]}
      />
      {problem.reference_solution && (
        <details>
          <summary>Reference solution</summary>
          <div className="read">
            <MathText text={problem.reference_solution} raw={raw} />
          </div>
        </details>
      )}
    </div>
  );
}

/** The answers that are right besides the problem's own, one per line. */
export function AcceptedAnswers({ problem, raw = false }: { problem: { accepted_answers: string[] }; raw?: boolean }) {
  return problem.accepted_answers.map((text) => (
    <div key={text}>
      <MathText text={text} raw={raw} />
    </div>
  ));
}

/** A button to switch between raw and rendered text. */
export function useRawText() {
  const [raw, setRaw] = useState(false);
  const toggle = (
    <Button aria-pressed={raw} onClick={() => setRaw(!raw)}>
      {raw ? "Show rendered" : "Show raw text"}
    </Button>
  );
  return { raw, toggle };
}
