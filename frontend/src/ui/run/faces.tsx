/** The only list of faces, one for each kind of typed step. A new kind is an entry here. */
import type { ReactNode } from "react";
import { Disclosure } from "@/ui/Disclosure";
import { countOf } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { withoutAnsi } from "./ansi";
import { type DiffLine, readableCall } from "./calls";
import { Entries } from "./Entries";
import { JsonTree, ResultText } from "./JsonText";
import { FoldedText } from "./LongText";
import classes from "./run.module.css";
import { Seen } from "./Seen";
import type { RunSource, TypedStep } from "./typedStep";

export interface FaceProps {
  step: TypedStep;
  whole: (() => Promise<string>) | null;
  source: RunSource;
}

interface Face {
  /** Its name above the step and in the filter. */
  title: string;
  Body: (props: FaceProps) => ReactNode;
}

export const FACES: Record<TypedStep["kind"], Face> = {
  thought: { title: "Thought", Body: Prose },
  plan: { title: "Plan", Body: Prose },
  message: { title: "Message", Body: Prose },
  final: { title: "Final answer", Body: Prose },
  text: { title: "Text", Body: Prose },
  system: { title: "System", Body: Context },
  tool_call: { title: "Call", Body: Call },
  edit: { title: "Edit", Body: Call },
  test_run: { title: "Test run", Body: Call },
  observation: { title: "Result", Body: Result },
};

function Prose({ step, whole, source }: FaceProps) {
  const { text, tail, bytes } = step;
  if (step.kind === "text") return <pre className={classes.line}>{text.replace(/^\n+/, "")}</pre>;
  return (
    <>
      {tail !== undefined ? (
        <FoldedText head={text} tail={tail} bytes={bytes} whole={whole} />
      ) : (
        <MathText text={withoutAnsi(text) || "(empty)"} raw={step.actor !== "agent"} program={false} within={null} />
      )}
      <Seen images={step.images ?? []} table={step.table} source={source} />
    </>
  );
}

/** What the agent was told, but not by a person: folded, because it is long and the same in every run. */
function Context({ step, whole, source }: FaceProps) {
  return (
    <Disclosure title={`${countOf(step.lines, "line")}, ${countOf(step.bytes, "byte")}`}>
      <Result step={step} whole={whole} source={source} />
    </Disclosure>
  );
}

function Result({ step, whole, source }: FaceProps) {
  const { text, tail, bytes, images = [], table } = step;
  const read = images.length > 0 ? withoutPictures(text) : text;
  const shows = read !== "";
  return (
    <>
      {tail !== undefined && <FoldedText head={text} tail={tail} bytes={bytes} whole={whole} />}
      {tail === undefined && shows && <ResultText text={read} />}
      {text === "" && images.length === 0 && !table && <p className={classes.none}>The result is empty.</p>}
      <Seen images={images} table={table} source={source} />
    </>
  );
}

/** The text without the placeholders of pictures, which are shown under it. */
const withoutPictures = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "[image]")
    .join("\n");

function Call({ step }: FaceProps) {
  const call = readableCall(step.arguments, step.kind === "edit");
  return (
    <>
      {step.invalid_arguments && <p className={classes.none}>These arguments are not JSON; shown as written.</p>}
      {call.shape === "shell" && <pre className={classes.shell}>{call.command}</pre>}
      {call.shape === "program" && <pre className={classes.program}>{call.command}</pre>}
      {call.shape === "text" && <pre className={classes.program}>{call.text}</pre>}
      {call.shape === "diff" && <Diff path={call.path} lines={call.lines} />}
      {call.shape !== "text" && call.rest.length > 0 && <Arguments entries={call.rest} />}
      {step.unanswered && <p className={classes.none}>No result was recorded for this call.</p>}
    </>
  );
}

function Diff({ path, lines }: { path: string; lines: DiffLine[] }) {
  return (
    <div className={classes.diff}>
      {path && <div className={classes.path}>{path}</div>}
      <pre>
        {lines.map((line, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change their order
          <div key={place} data-sign={line.sign}>
            <span aria-hidden>{line.sign === "@" ? " " : line.sign}</span>
            {line.text || " "}
          </div>
        ))}
      </pre>
    </div>
  );
}

const SHORT = 160;

function Arguments({ entries }: { entries: [string, unknown][] }) {
  return (
    <Entries of={entries} around={(shown) => <dl className={classes.arguments}>{shown}</dl>}>
      {([name, value]) => {
        const long = typeof value === "string" && (value.length > SHORT || value.includes("\n"));
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {long ? (
                <Disclosure title={`${value.slice(0, 60).replaceAll("\n", " ")}…`}>
                  <pre>{value}</pre>
                </Disclosure>
              ) : (
                <JsonTree value={value} depth={1} />
              )}
            </dd>
          </div>
        );
      }}
    </Entries>
  );
}
