import { MathText } from "@/ui/math/MathText";
import classes from "./tree.module.css";
import type { Chip, ToldStep } from "./treeWords";

/** What was said about a step, each in a few words. Colour only repeats them. */
export function Chips({ chips }: { chips: Chip[] }) {
  if (chips.length === 0) return null;
  return (
    <span className={classes.chips}>
      {chips.map(({ tone, words }) => (
        <span key={words} data-tone={tone}>
          {words}
        </span>
      ))}
    </span>
  );
}

/** A step with its full text, its score, and what was said about it. */
export function StepTold({ step, raw }: { step: ToldStep; raw: boolean }) {
  return (
    <div className={classes.step}>
      <p className={classes.place}>
        Step {step.place + 1}
        {step.score && ` · score ${step.score}`}
      </p>
      <div className="read">
        <MathText text={step.text} raw={raw} />
      </div>
      {step.cut && <p className={classes.quiet}>The step goes on: a trace’s page has it whole.</p>}
      {step.dispute && <span className={classes.dispute}>{step.dispute}</span>}
      <Chips chips={step.chips} />
    </div>
  );
}
