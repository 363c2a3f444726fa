import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { Calculation } from "@/protocol/desk";
import { BottomLine, type News } from "@/ui/BottomLine";
import { Button } from "@/ui/Button";
import { fetchedOnce } from "@/ui/partOfPage";
import type { Answer } from "./calculator";
import classes from "./LineBars.module.css";
import { stepsWith } from "./searching";

/** The calculator's code is fetched while the labeler reads. The field that takes the typing is there at once. */
const fetchCalculator = fetchedOnce(async () => (await import("./calculator")).calculate);

interface FieldProps {
  label: string;
  value: string;
  inputMode?: "numeric" | "search" | "text";
  placeholder?: string;
  wide?: boolean;
  news?: News | null;
  children?: ReactNode;
  onChange: (value: string) => void;
  onKey: (event: KeyboardEvent<HTMLInputElement>) => void;
  onLeave: () => void;
}

/** A question in place of the keys. It covers no step, and Escape leaves it. */
function LineField({ label, value, inputMode, placeholder, wide, children, onChange, onKey, onLeave }: FieldProps) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return (
    <div className={classes.bar}>
      <BottomLine
        kind="asking"
        action={
          <Button onClick={onLeave}>
            Back <kbd>Esc</kbd>
          </Button>
        }
      >
        <label className={classes.field} data-wide={wide || undefined}>
          <strong>{label}</strong>
          <input
            ref={ref}
            value={value}
            inputMode={inputMode}
            placeholder={placeholder}
            maxLength={500}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") {
                event.preventDefault();
                onLeave();
              } else onKey(event);
            }}
          />
        </label>
        {children}
      </BottomLine>
    </div>
  );
}

interface FindBarProps {
  problem: string;
  steps: readonly string[];
  focus: number;
  /** The step to show, or null if none is found. */
  onHit: (step: number | null, words: string) => void;
  onGo: (step: number) => void;
  onLeave: () => void;
}

/** Search: the steps with the words, one centred in the window. ↑ ↓ show others, Enter goes there, Esc leaves. */
export function SearchBar({ problem, steps, focus, onHit, onGo, onLeave }: FindBarProps) {
  const [words, setWords] = useState("");
  const [moved, setMoved] = useState({ words, focus, by: 0 });
  const sought = useDeferredValue(words);
  const hits = useMemo(() => stepsWith(steps, sought), [steps, sought]);
  /** The index of a hit: the first at or after the step in hand, moved by the presses of ↑ ↓ for these words. */
  const placeIn = (found: number[], of: string) => {
    const ahead = Math.max(
      0,
      found.findIndex((step) => step >= focus),
    );
    const by = moved.words === of && moved.focus === focus ? moved.by : 0;
    return (((ahead + by) % found.length) + found.length) % found.length;
  };
  const place = placeIn(hits, sought);
  const hit = hits[place];
  useEffect(() => onHit(hit ?? null, sought), [hit, sought, onHit]);
  const inProblem = useMemo(() => stepsWith([problem], sought).length > 0, [problem, sought]);
  const key = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
    if (by === 0 && event.key !== "Enter") return;
    event.preventDefault();
    if (by !== 0) {
      setMoved((last) => ({ words, focus, by: (last.words === words && last.focus === focus ? last.by : 0) + by }));
      return;
    }
    const now = stepsWith(steps, words); // the hits shown may be a letter behind what was typed
    const there = now[placeIn(now, words)];
    if (there !== undefined && !event.repeat) onGo(there);
  };
  const found = hits.length === 0 ? "in no step" : `step ${(hit ?? 0) + 1} · ${place + 1} of ${hits.length}`;
  return (
    <LineField label="Search" value={words} inputMode="search" wide onChange={setWords} onKey={key} onLeave={onLeave}>
      <span className={`${classes.said} tabular`} role="status">
        {sought !== "" && `${found}${inProblem ? ", also in the problem" : ""}`}
      </span>
      <span className={classes.hint}>
        <kbd>↑</kbd> <kbd>↓</kbd> others, <kbd>↵</kbd> go there
      </span>
    </LineField>
  );
}

/** Jump to a step by its number. It is shown while the number is typed; Enter goes there. */
export function JumpBar({ steps, focus, onHit, onGo, onLeave }: FindBarProps) {
  const [typed, setTyped] = useState("");
  const step = Number(typed) - 1;
  const there = /^\d+$/.test(typed) && step >= 0 && step < steps.length;
  useEffect(() => onHit(there ? step : null, ""), [there, step, onHit]);
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (there) onGo(step);
    else if (typed === "") onLeave();
  };
  return (
    <LineField
      label="Jump to step"
      value={typed}
      inputMode="numeric"
      placeholder={`${focus + 1}`}
      onChange={(value) => setTyped(value.replace(/\D/g, "").slice(0, 5))}
      onKey={key}
      onLeave={onLeave}
    >
      <span className={classes.said} role="status">
        {typed !== "" && !there ? `There are steps 1 to ${steps.length}.` : `of ${steps.length}`}
      </span>
      <span className={classes.hint}>
        <kbd>↵</kbd> go there
      </span>
    </LineField>
  );
}

interface CalculatorBarProps {
  calculations: readonly Calculation[];
  onCalculated: (calculation: Calculation) => void;
  onLeave: () => void;
}

/** One line of arithmetic, calculated exactly while it is typed. Enter keeps it with the label. */
export function CalculatorBar({ calculations, onCalculated, onLeave }: CalculatorBarProps) {
  const [line, setLine] = useState("");
  const last = calculations.at(-1)?.result ?? "";
  const [calculate, setCalculate] = useState<((line: string, before: string) => Answer) | null>(null);
  useEffect(() => void fetchCalculator().then((found) => setCalculate(() => found)), []);
  const answer = useMemo<Answer>(
    () => calculate?.(line, last) ?? { kind: "fault", text: "Loading the calculator…" },
    [calculate, line, last],
  );
  const said = line.trim() === "" ? "" : answer.text;
  const decimal =
    answer.kind === "value" && answer.decimal !== answer.text && !said.startsWith("≈") ? answer.decimal : "";
  const leave = () => {
    if (line.trim() !== "" && answer.kind === "value") onCalculated({ input: line.trim(), result: cut(answer.text) });
    onLeave();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "ArrowUp" && line === "") setLine(calculations.at(-1)?.input ?? "");
    if (event.key !== "Enter" || event.repeat) return;
    event.preventDefault();
    if (answer.kind !== "value") return;
    onCalculated({ input: line.trim(), result: cut(answer.text) });
    setLine("");
  };
  const before = calculations.at(-1);
  return (
    <LineField
      label="Calculate"
      value={line}
      wide
      placeholder="17/6 + 0.25, binom(8, 3), 3*17 = 51"
      onChange={setLine}
      onKey={key}
      onLeave={leave}
    >
      <span
        className={`${classes.said} ${classes.result}`}
        role="status"
        data-fault={answer.kind === "fault" || undefined}
      >
        {said === "" && before ? `${before.input} → ${before.result}` : said}
        {decimal !== "" && said !== "" && <span className={classes.hint}> = {decimal}</span>}
      </span>
      <span className={classes.hint}>recorded with the label</span>
    </LineField>
  );
}

/** A result may have thousands of digits, but a submission accepts a thousand characters of it. */
function cut(result: string): string {
  return result.length <= 900 ? result : `${result.slice(0, 900)}…`;
}
