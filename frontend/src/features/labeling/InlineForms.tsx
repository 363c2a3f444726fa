import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Button } from "@/ui/Button";
import { MathText } from "@/ui/math/MathText";
import { writeOn } from "@/ui/writeOn";
import classes from "./InlineForms.module.css";
import { readSplitReport, splitReport, wordsOf } from "./splitting";

const MOST_CHARACTERS = 20_000;

interface InlineTextProps {
  title: string;
  field: string;
  initial: string;
  /** Called for every keystroke: the text goes into the draft, so it outlives the page. */
  onType?: (text: string) => void;
  onKeep: (text: string) => void;
}

/** A text about a step, written under it. What was typed is kept, however the field closes. */
export function InlineText({ title, field, initial, onType, onKeep }: InlineTextProps) {
  const [text, setText] = useState(initial);
  const ref = useRef<HTMLTextAreaElement>(null);
  const finish = useKeptOnLeaving(text, initial, onKeep);
  useEffect(() => {
    writeOn(ref.current, { preventScroll: true });
    ref.current?.closest("form")?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <Inline title={title} onDone={() => finish(text)} remove={initial === "" ? undefined : () => finish("")}>
      <textarea
        ref={ref}
        aria-label={field}
        placeholder={field}
        rows={2}
        value={text}
        maxLength={MOST_CHARACTERS}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          onType?.(value);
        }}
      />
    </Inline>
  );
}

/** Keep the words even if the page closes under them (another step, another tab). Returns how to finish. */
function useKeptOnLeaving(text: string, initial: string, onKeep: (text: string) => void): (text: string) => void {
  const latest = useRef<Typed>({ text, initial, finished: false, onKeep });
  useLayoutEffect(() => {
    latest.current = { ...latest.current, text, initial, onKeep };
  });
  useEffect(() => () => keepChanged(latest.current), []);
  return (last) => {
    latest.current.finished = true;
    onKeep(last);
  };
}

interface Typed {
  text: string;
  initial: string;
  finished: boolean;
  onKeep: (text: string) => void;
}

function keepChanged({ text, initial, finished, onKeep }: Typed): void {
  if (!finished && text.trim() !== initial.trim()) onKeep(text);
}

interface InlineSplitProps {
  text: string;
  /** Null if nothing is reported yet. */
  report: string | null;
  onReport: (text: string) => void;
  onWithdraw: () => void;
  onCancel: () => void;
}

/** The step's words with a cursor between them. A click or Space cuts there; the arrow keys move. */
export function InlineSplit({ text, report, onReport, onWithdraw, onCancel }: InlineSplitProps) {
  const words = useMemo(() => wordsOf(text), [text]);
  const known = useMemo(() => readSplitReport(words, report ?? ""), [words, report]);
  const [cuts, setCuts] = useState<readonly number[]>(known.cuts);
  const [at, setAt] = useState(known.cuts[0] ?? Math.min(1, words.length - 1));
  const [remark, setRemark] = useState(known.remark);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
    ref.current?.closest("form")?.scrollIntoView({ block: "nearest" });
  }, []);
  const toggle = (place: number) => {
    setAt(place);
    setCuts(cuts.includes(place) ? cuts.filter((one) => one !== place) : [...cuts, place].sort((a, b) => a - b));
  };
  const moved = (place: number) => setAt(Math.max(1, Math.min(words.length - 1, place)));
  const pressed = (event: KeyboardEvent) => {
    const place = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 1, End: words.length - 1 }[event.key];
    if (place !== undefined) moved(place);
    else if (event.key === " " && at > 0 && !event.repeat) toggle(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const between = words[at];
  const where = between ? `Between “${words[at - 1]?.text ?? ""}” and “${between.text}”` : "";
  return (
    <Inline
      title="Where should this step be split?"
      onDone={() => onReport(splitReport(words, cuts, remark))}
      onCancel={onCancel}
      done="Report"
      remove={report === null ? undefined : onWithdraw}
    >
      <div
        ref={ref}
        className={`${classes.words} read`}
        role="application"
        aria-label="Words of the step. Arrow keys move between them; Space splits."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes keys
        tabIndex={0}
        onKeyDown={pressed}
      >
        {words.map((word, place) => (
          <span key={word.at}>
            {place > 0 && (
              <button
                type="button"
                tabIndex={-1}
                className={classes.gap}
                aria-pressed={cuts.includes(place)}
                aria-label={`Split before “${word.text.slice(0, 40)}”`}
                data-at={place === at || undefined}
                onClick={() => toggle(place)}
              />
            )}
            <span className={classes.word}>{word.math ? <MathText text={word.text} excerpt /> : word.text}</span>
          </span>
        ))}
      </div>
      <span className="visually-hidden" role="status">
        {where}
        {cuts.includes(at) ? ", split here" : ""}
      </span>
      <input
        aria-label="Anything else? (optional)"
        placeholder="Anything else? (optional)"
        value={remark}
        maxLength={2_000}
        onChange={(event) => setRemark(event.currentTarget.value)}
      />
    </Inline>
  );
}

interface InlineProps {
  title: string;
  done?: string;
  children: ReactNode;
  remove?: () => void;
  onDone: () => void;
  /** What Escape does. By default, it keeps what was typed. */
  onCancel?: () => void;
}

function Inline({ title, done = "Keep", children, remove, onDone, onCancel = onDone }: InlineProps) {
  const pressed = (event: KeyboardEvent) => {
    const typing = event.target instanceof HTMLInputElement;
    const words = event.target instanceof Element && event.target.getAttribute("role") === "application";
    const finishes = event.key === "Enter" && (event.ctrlKey || event.metaKey || typing || words);
    if (!finishes && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (finishes) onDone();
    else onCancel();
  };
  return (
    <form
      className={classes.form}
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        onDone();
      }}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={pressed}
    >
      <strong>{title}</strong>
      {children}
      <div className={classes.actions}>
        {remove && (
          <Button kind="plain" onClick={remove}>
            Take it back
          </Button>
        )}
        <Button type="submit">
          {done} <kbd>Ctrl ↵</kbd>
        </Button>
      </div>
    </form>
  );
}
