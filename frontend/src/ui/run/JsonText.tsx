import { useMemo, useState } from "react";
import { Button } from "@/ui/Button";
import { Disclosure } from "@/ui/Disclosure";
import { countOf } from "@/ui/format";
import { DEEPEST, jsonIn } from "./calls";
import { Entries } from "./Entries";
import { TerminalText } from "./LongText";
import classes from "./run.module.css";

const SMALL = 4_000; // characters of a result that is not folded at all: whoever rates the step reads it anyway
const OPEN = 2; // levels of a larger result that are open at first
const FEW = 8; // most entries of a level that is open at first
const SHORT = 400; // most characters of a text that is open at first

/** A result: JSON as a tree that folds, anything else as terminal text. */
export function ResultText({ text }: { text: string }) {
  const value = useMemo(() => jsonIn(text), [text]);
  const [written, setWritten] = useState(false);
  if (value === undefined) return <TerminalText text={text} />;
  return (
    <>
      {written ? <TerminalText text={text} /> : <JsonTree value={value} depth={0} whole={text.length <= SMALL} />}
      <div className={classes.written}>
        <Button kind="plain" onClick={() => setWritten(!written)}>
          {written ? "Fold the JSON" : "As it was written"}
        </Button>
      </div>
    </>
  );
}

interface JsonTreeProps {
  value: unknown;
  depth: number;
  /** Nothing is folded. */
  whole?: boolean;
}

/** A decoded JSON value: its first levels are open, the rest folded; below the deepest level it is shown as written. */
export function JsonTree({ value, depth, whole = false }: JsonTreeProps) {
  if (typeof value === "string") return <JsonString text={value} whole={whole} />;
  if (typeof value !== "object" || value === null) return <code>{String(value)}</code>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <code>{Array.isArray(value) ? "[]" : "{}"}</code>;
  if (depth >= DEEPEST) return <span className={classes.words}>{JSON.stringify(value)}</span>;
  const list = (
    <Entries of={entries} whole={whole} around={(shown) => <dl className={classes.arguments}>{shown}</dl>}>
      {([name, item]) => (
        <div key={name}>
          <dt>{Array.isArray(value) ? Number(name) + 1 : name}</dt>
          <dd>
            <JsonTree value={item} depth={depth + 1} whole={whole} />
          </dd>
        </div>
      )}
    </Entries>
  );
  if (whole || (depth < OPEN && entries.length <= FEW)) return list;
  const title = countOf(entries.length, Array.isArray(value) ? "item" : "key");
  return (
    <Disclosure title={title} start={depth === 0}>
      {list}
    </Disclosure>
  );
}

function JsonString({ text, whole }: { text: string; whole: boolean }) {
  if (whole || text.length <= SHORT) return <span className={classes.words}>{text === "" ? "(empty)" : text}</span>;
  return (
    <Disclosure title={`${text.slice(0, 80).replaceAll("\n", " ")}… (${countOf(text.length, "character")})`}>
      <span className={classes.words}>{text}</span>
    </Disclosure>
  );
}
