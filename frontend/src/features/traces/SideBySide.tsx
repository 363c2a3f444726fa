import { Link } from "react-router";
import type { ProblemTree, TraceDetail } from "@/api/projectTypes";
import { Button } from "@/ui/Button";
import { MathText } from "@/ui/math/MathText";
import { Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { OutcomeMark } from "@/ui/trace/TraceText";
import { useTrace } from "./queries";
import { StepTold } from "./StepTold";
import classes from "./tree.module.css";
import { type Forest, sharedSteps } from "./treeRows";
import { partWords, toldOfTrace } from "./treeWords";

interface SideBySideProps {
  slug: string;
  tree: ProblemTree;
  forest: Forest;
  ids: [number, number];
  raw: boolean;
  onBack: () => void;
}

/** Two traces of the problem: what they share is shown once; after they part, steps are side by side. */
export function SideBySide({ slug, tree, forest, ids, raw, onBack }: SideBySideProps) {
  const [one, other] = [useTrace(ids[0]), useTrace(ids[1])];
  const back = <Button onClick={onBack}>Back to the tree</Button>;
  const failed = one.error ?? other.error;
  if (failed) return <ErrorState inline error={failed} actions={back} />;
  if (!one.data || !other.data) return <SkeletonLines lines={10} />;
  if (one.data.problem.id !== tree.problem.id || other.data.problem.id !== tree.problem.id) {
    return (
      <ErrorState
        inline
        title="These traces cannot be compared"
        error={new Error("Both traces must belong to this problem. Choose two in the tree.")}
        actions={back}
      />
    );
  }
  const shared = sharedSteps(...ids, forest);
  const lengths: [number, number] = [one.data.steps.length, other.data.steps.length];
  return (
    <Panel title={`Traces ${ids[0]} and ${ids[1]} side by side`} note={partWords(shared, lengths)} actions={back}>
      <Shared traces={[one.data, other.data]} tree={tree} steps={shared ?? 0} raw={raw} />
      <Columns traces={[one.data, other.data]} tree={tree} slug={slug} start={shared ?? 0} raw={raw} />
    </Panel>
  );
}

interface PartProps {
  traces: [TraceDetail, TraceDetail];
  tree: ProblemTree;
  raw: boolean;
}

/** Steps that both traces have: shown once, with what is said about each trace next to it. */
function Shared({ traces, tree, steps, raw }: PartProps & { steps: number }) {
  if (steps === 0) return null;
  const [left, right] = traces.map((trace) => toldOfTrace(trace, tree.scorer?.id ?? null, 0));
  return (
    <section aria-label="What they share">
      {left?.slice(0, steps).map((step, place) => {
        const beside = right?.[place];
        const score = [step.score, beside?.score].filter(Boolean);
        const same = score.length < 2 || score[0] === score[1];
        return (
          <StepTold
            key={step.place}
            raw={raw}
            step={{
              ...step,
              score: same ? (score[0] ?? "") : score.join(" and "),
              chips: [
                ...step.chips,
                ...(beside?.chips ?? []).filter((chip) => !step.chips.some((own) => own.words === chip.words)),
              ],
            }}
          />
        );
      })}
    </section>
  );
}

function Columns({ traces, tree, slug, start, raw }: PartProps & { slug: string; start: number }) {
  return (
    <div className={classes.columns}>
      {traces.map((trace) => (
        <section key={trace.id} aria-label={`Trace ${trace.id}`}>
          <h3>
            <Link to={`/projects/${slug}/traces/${trace.id}`}>Trace {trace.id}</Link>
            <OutcomeMark outcome={trace.outcome} />
          </h3>
          <div className={classes.quiet}>
            {trace.generator || "unknown generator"}, answers{" "}
            {trace.final_answer === null ? "nothing" : <MathText text={trace.final_answer} excerpt />}
          </div>
          {toldOfTrace(trace, tree.scorer?.id ?? null, start).map((step) => (
            <StepTold key={step.place} step={step} raw={raw} />
          ))}
          {trace.steps.length <= start && <p className={classes.quiet}>It ends with the step before.</p>}
        </section>
      ))}
    </div>
  );
}
