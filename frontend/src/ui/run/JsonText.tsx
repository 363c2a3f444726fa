import { useMemo, useState } from "react";
import { Button } from "@/ui/Button";
import { Disclosure } from "@/ui/Disclosure";
import { countOf } from "@/ui/format";
import { jsonIn } from "./calls";
import { TerminalText } from "./LongText";
import classes from "./run.module.css";

const OPEN = 2; // levels that are open at first
const FEW = 8; // entries of a level that are
const SHORT = 400; // characters of a text that are

/** A result: as a tree that folds where it is JSON, else as the terminal's text that it is. */
export function ResultText({ text }: { text: string }) {
  const value = useMemo(() => jsonIn(text), [text]);
  const [written, setWritten] = useState(false);
  if (value === undefined) return <TerminalText text={text} />;
  return (
    <>
      {written ? <TerminalText text={text} /> : <JsonTree value={value} depth={0} />}
      <div className={classes.written}>
        <Button onClick={() => setWritten(!written)}>{written ? "Fold the JSON" : "As it was written"}</Button>
      </div>
    </>
  );
}

/** A decoded JSON value: its first levels, the rest folded. */
export function JsonTree({ value, depth }: { value: unknown; depth: number }) {
  if (typeof value === "string") return <JsonString text={value} />;
  if (typeof value !== "object" || value === null) return <code>{String(value)}</code>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <code>{Array.isArray(value) ? "[]" : "{}"}</code>;
  const list = (
    <dl className={classes.arguments}>
      {entries.map(([name, item]) => (
        <div key={name}>
          <dt>{Array.isArray(value) ? Number(name) + 1 : name}</dt>
          <dd>
            <JsonTree value={item} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
  if (depth < OPEN && entries.length <= FEW) return list;
  const title = countOf(entries.length, Array.isArray(value) ? "item" : "key");
  return (
    <Disclosure title={title} start={depth === 0}>
      {list}
    </Disclosure>
  );
}

function JsonString({ text }: { text: string }) {
  if (text.length <= SHORT) return <span className={classes.words}>{text === "" ? "(empty)" : text}</span>;
  return (
    <Disclosure title={`${text.slice(0, 80).replaceAll("\n", " ")}… (${countOf(text.length, "character")})`}>
      <span className={classes.words}>{text}</span>
    </Disclosure>
  );
}
