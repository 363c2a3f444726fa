import type { PreviewedTrace } from "@/api/jobTypes";
import { MathText } from "@/ui/math/MathText";
import { Facts } from "@/ui/Panel";
import { OutcomeMark } from "@/ui/trace/TraceText";
import classes from "./imports.module.css";

/** A trace as it would be imported, with what the file says about its steps. */
export function PreviewTrace({ trace }: { trace: PreviewedTrace }) {
  const hidden = trace.step_count - trace.steps.length;
  return (
    <article className={classes.trace}>
      <h4>Line {trace.line}</h4>
      <MathText text={trace.problem} />
      <ol>
        {trace.steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other key, and do not move
          <li key={index} data-wrong={isWrong(trace, index) || undefined}>
            <span>
              {index + 1}
              {markOf(trace, index)}
            </span>
            <MathText text={step} />
          </li>
        ))}
      </ol>
      {hidden > 0 && <p className={classes.quiet}>… and {hidden} more steps</p>}
      <Facts
        facts={[
          ["Final answer", trace.final_answer ?? "none"],
          ["Right answer", trace.ground_truth_answer ?? "none"],
          ["Outcome", <OutcomeMark key="outcome" outcome={trace.outcome} />],
        ]}
      />
    </article>
  );
}

function isWrong(trace: PreviewedTrace, step: number): boolean {
  return trace.marks ? trace.marks[step] === 0 : trace.first_error === step;
}

function markOf(trace: PreviewedTrace, step: number): string {
  const mark = trace.marks?.[step];
  if (mark === 1) return " right";
  if (mark === 0 || trace.first_error === step) return " wrong";
  return mark === null || mark === undefined ? "" : ` ${mark.toFixed(2)}`;
}
