import { Disclosure } from "@/ui/Disclosure";
import { countOf } from "@/ui/format";
import classes from "./run.module.css";
import type { Executed, TypedStep } from "./typedStep";

/** The recorded runs of a program: each with its input, its output, and the expected output. */
export function Executions({ steps }: { steps: readonly TypedStep[] }) {
  const runs = steps.flatMap((step) => (step.executed ? [step.executed] : []));
  const passed = runs.filter((run) => run.passed === true).length;
  return (
    <section className={classes.executions} aria-label="Recorded runs of the program">
      <p className={classes.head}>
        <span className={classes.kind}>Recorded runs</span>
        <span className={passed < runs.length ? classes.failed : classes.passed}>
          {`${passed} of ${countOf(runs.length, "run")} passed`}
        </span>
        <span>Nothing is run here.</span>
      </p>
      {runs.map((run, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: runs never change their order
        <Disclosure key={place} title={titleOf(run, place)} start={run.passed === false && place < 3}>
          <Execution run={run} />
        </Disclosure>
      ))}
    </section>
  );
}

function titleOf(run: Executed, place: number): string {
  const came = run.passed === null ? "not judged" : run.passed ? "passed" : "failed";
  const given = run.input.replaceAll("\n", " ").slice(0, 60);
  return `Run ${place + 1}, ${came}${run.line === undefined ? "" : `, ended in line ${run.line}`}${given ? `: ${given}` : ""}`;
}

function Execution({ run }: { run: Executed }) {
  const said: [string, string][] = [
    ["Given", run.input],
    ["Expected", run.expected],
    ["Came out", run.output],
    ["Error", run.error],
  ];
  return (
    <>
      <dl className={classes.arguments}>
        {said
          .filter(([, text]) => text !== "")
          .map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <pre>{text}</pre>
              </dd>
            </div>
          ))}
      </dl>
      {run.states && run.states.length > 0 && (
        <Disclosure title={`What was known at ${countOf(run.states.length, "line")}`}>
          <ol className={classes.states}>
            {run.states.map((state, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: states never change their order
              <li key={place}>
                <span>{`line ${state.line}`}</span> <code>{state.text}</code>
              </li>
            ))}
          </ol>
        </Disclosure>
      )}
    </>
  );
}
