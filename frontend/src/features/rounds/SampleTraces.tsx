import { useState } from "react";
import { Link } from "react-router";
import type { SampleTrace, SelectionReason } from "@/api/roundTypes";
import { Button } from "@/ui/Button";
import { MathText } from "@/ui/math/MathText";
import { Panel } from "@/ui/Panel";
import { HeatKey, HeatStrip } from "@/ui/trace/HeatStrip";
import { formatTraceScore, lowestStep } from "@/ui/trace/score";
import { OutcomeMark, ProblemExcerpt } from "@/ui/trace/TraceText";
import classes from "./SampleTraces.module.css";
import { REASON_ORDER, REASONS } from "./selectionWords";

const DRAWN: ReadonlySet<SelectionReason> = new Set(["control", "random"]);

/** Some of the chosen traces with the score of each step, and the text of one step at a time. */
export function SampleTraces({ slug, sample }: { slug: string; sample: SampleTrace[] }) {
  const reasons = REASON_ORDER.filter((reason) => sample.some((trace) => trace.reason === reason));
  const [chosen, setChosen] = useState<SelectionReason | null>(null);
  const reason = chosen && reasons.includes(chosen) ? chosen : (reasons[0] ?? null);
  if (reason === null) return null;
  return (
    <Panel title="Samples" note="Each bar is a step. To read one, press it or use the arrow keys.">
      <div className={classes.head}>
        <fieldset className={classes.reasons} aria-label="Show those that were chosen as">
          {reasons.map((one) => (
            <Button key={one} aria-pressed={one === reason} onClick={() => setChosen(one)}>
              {REASONS[one].name}
            </Button>
          ))}
        </fieldset>
        {sample.some((trace) => trace.step_scores) && <HeatKey />}
      </div>
      <ul className={classes.traces}>
        {sample
          .filter((trace) => trace.reason === reason)
          .map((trace, index) => (
            <Sample key={trace.trace_id} slug={slug} trace={trace} place={DRAWN.has(reason) ? null : index + 1} />
          ))}
      </ul>
    </Panel>
  );
}

interface SampleProps {
  slug: string;
  trace: SampleTrace;
  /** The rank among traces chosen for the same reason, the best of which are shown; null if drawn by chance. */
  place: number | null;
}

function Sample({ slug, trace, place }: SampleProps) {
  const scores = trace.step_scores;
  const lowest = scores ? lowestStep(scores) : null;
  const [picked, setPicked] = useState<number | null>(null);
  const step = picked ?? lowest ?? 0;
  return (
    <li className={classes.trace}>
      <div className={classes.about}>
        <Link to={`/projects/${slug}/traces/${trace.trace_id}`}>
          <ProblemExcerpt text={trace.problem_text} />
        </Link>
        <p>
          <OutcomeMark outcome={trace.outcome} />
          {trace.score !== null && <span>score {formatTraceScore(trace.score)}</span>}
          {place !== null && <span>place {place}</span>}
        </p>
      </div>
      <div className={classes.steps}>
        {scores ? (
          <HeatStrip scores={scores} label={`Steps of trace ${trace.trace_id}`} picked={picked} onPick={setPicked} />
        ) : (
          <p className={classes.none}>The model gave it no scores.</p>
        )}
        <div className={`read ${classes.step}`}>
          <MathText text={trace.steps[step] ?? ""} />
        </div>
      </div>
    </li>
  );
}
