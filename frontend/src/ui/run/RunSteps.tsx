import { useMemo } from "react";
import { Disclosure } from "@/ui/Disclosure";
import { readable, readableIn } from "@/ui/readable";
import { type Placed, placed, underTheirCalls } from "./answers";
import { Entries } from "./Entries";
import { Executions } from "./Executions";
import { FACES } from "./faces";
import classes from "./run.module.css";
import type { RunSource, TypedStep } from "./typedStep";

interface RunStepsProps {
  steps: readonly Placed[];
  source: RunSource;
}

/** A list of typed steps, each with its face: what the agent did, and the result. */
export function RunSteps({ steps, source }: RunStepsProps) {
  const executed = steps.filter(({ step }) => step.executed);
  return (
    <>
      {executed.length > 0 && <Executions steps={executed.map(({ step }) => withSignsShown(step))} />}
      <Entries of={underTheirCalls(steps.filter(({ step }) => !step.executed))}>
        {({ step, place }) => <RunStep key={place} step={step} path={[place]} source={source} />}
      </Entries>
    </>
  );
}

const ACTORS: Record<string, string> = { user: "User", system: "System", tool: "Result", agent: "" };

interface RunStepProps {
  step: TypedStep;
  /** The places that lead to it: those of the steps it is nested in, then its own. */
  path: readonly number[];
  source: RunSource;
}

function RunStep({ step: given, path, source }: RunStepProps) {
  const step = useMemo(() => withSignsShown(given), [given]);
  const face = FACES[step.kind];
  const context = step.unit === undefined && path.length === 1;
  const who = context && step.actor !== "tool" ? ACTORS[step.actor] || "Agent, earlier" : "";
  const nested = (step.nested ?? []) as unknown as TypedStep[];
  const { whole } = source;
  return (
    <div className={classes.step} data-kind={step.kind} data-context={context || undefined} data-error={step.is_error}>
      <div className={classes.head}>
        {step.kind !== "text" && (
          <span className={classes.kind}>{who && step.kind === "message" ? who : face.title}</span>
        )}
        {step.tool && <code className={classes.tool}>{step.tool}</code>}
        {step.name && step.name !== step.tool && <span>{step.name}</span>}
        {step.is_error && <span className={classes.failed}>failed</span>}
        {step.tests && <Tests {...step.tests} />}
        {step.copied && <span title="It was recorded earlier and is not rated here.">copied context</span>}
        {step.cut && <span className={classes.failed}>cut by its recorder</span>}
        <span className={classes.margin}>{marginOf(step)}</span>
      </div>
      <face.Body
        step={step}
        whole={step.tail === undefined ? null : () => whole(path).then(readable)}
        source={source}
      />
      {nested.length > 0 && (
        <Disclosure title={`A sub-agent's run: ${nested.length} entries, rated separately`}>
          <div className={classes.nested}>
            <Entries of={underTheirCalls(placed(nested))}>
              {(one) => <RunStep key={one.place} step={one.step} path={[...path, one.place]} source={source} />}
            </Entries>
          </div>
        </Disclosure>
      )}
    </div>
  );
}

/** The step with hidden characters shown in its texts; nested steps are handled where they are shown. */
function withSignsShown(step: TypedStep): TypedStep {
  const { nested, ...own } = step;
  return { ...readableIn(own), ...(nested && { nested }) };
}

/** The result of a test run, according to its output. */
function Tests({ passed, failed }: { passed: number; failed: number }) {
  return (
    <span className={failed > 0 ? classes.failed : classes.passed}>
      {failed > 0 ? `${failed} failed, ${passed} passed` : `${passed} passed`}
    </span>
  );
}

/** When, how long, how many tokens: as far as recorded. */
function marginOf(step: TypedStep): string {
  const said: string[] = [];
  const [from, to] = [Date.parse(step.t_start ?? ""), Date.parse(step.t_end ?? "")];
  if (step.seconds !== undefined) said.push(`${step.seconds.toFixed(1)} s`);
  else if (to >= from) said.push(`${((to - from) / 1000).toFixed(1)} s`);
  if (!Number.isNaN(from)) said.push(new Date(from).toISOString().slice(11, 19));
  if (step.tokens) said.push(`${step.tokens.toLocaleString("en")} tokens`);
  return said.join(" · ");
}
