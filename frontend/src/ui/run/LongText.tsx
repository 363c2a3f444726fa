import { useMemo, useState } from "react";
import { Button } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { ansiPieces, withoutAnsi } from "./ansi";
import classes from "./run.module.css";

const LINE = 19;
const ROWS = 24;

/** Terminal text with its colours, but none of a terminal's other effects. */
export function TerminalText({ text }: { text: string }) {
  const pieces = useMemo(() => ansiPieces(text), [text]);
  return (
    <pre className={classes.terminal}>
      {pieces.map((piece, place) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces never change their order
          key={place}
          data-colour={piece.colour ?? undefined}
          data-bold={piece.bold || undefined}
        >
          {piece.text}
        </span>
      ))}
    </pre>
  );
}

interface FoldedTextProps {
  head: string;
  tail: string;
  bytes: number;
  /** Fetches the whole text from the server. */
  whole: (() => Promise<string>) | null;
}

/** The beginning and end of a long text, how much there is, and all of it on demand. */
export function FoldedText({ head, tail, bytes, whole }: FoldedTextProps) {
  const [text, setText] = useState<string | null>(null);
  const [state, setState] = useState<"folded" | "asked" | "failed">("folded");
  if (text !== null) return <WholeText text={text} onFold={() => setText(null)} />;
  const ask = () => {
    setState("asked");
    whole?.().then(setText, () => setState("failed"));
  };
  const between = bytes - new TextEncoder().encode(head + tail).length;
  return (
    <>
      <TerminalText text={head} />
      <div className={classes.fold}>
        <span>
          {between.toLocaleString("en")} of {bytes.toLocaleString("en")} bytes are folded here
          {state === "failed" && ". They did not load"}
        </span>
        {whole && (
          <Button onClick={ask} disabled={state === "asked"} data-unfold>
            {state === "asked" ? "Fetching…" : "Show all"}
          </Button>
        )}
      </div>
      <TerminalText text={tail} />
    </>
  );
}

/** All lines of a text with a search; only the visible ones are rendered. */
export function WholeText({ text, onFold }: { text: string; onFold: () => void }) {
  const lines = useMemo(() => withoutAnsi(text).split("\n"), [text]);
  const [top, setTop] = useState(0);
  const [words, setWords] = useState("");
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  const hits = useMemo(() => {
    const wanted = words.toLowerCase();
    return wanted === "" ? [] : lines.flatMap((line, at) => (line.toLowerCase().includes(wanted) ? [at] : []));
  }, [lines, words]);
  const first = Math.max(0, Math.floor(top / LINE) - 5);
  const go = () => {
    const next = hits.find((line) => line * LINE > top + 1) ?? hits[0];
    if (next !== undefined) frame?.scrollTo({ top: next * LINE });
  };
  return (
    <div>
      <form
        className={classes.find}
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        <input
          type="search"
          aria-label="Search in this result"
          placeholder="Search in this result"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <span role="status">{words && countOf(hits.length, "line")}</span>
        <Button onClick={onFold}>Fold</Button>
      </form>
      <div
        ref={setFrame}
        className={classes.frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it
        tabIndex={0}
        style={{ height: Math.min(lines.length, ROWS) * LINE + 16 }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div style={{ height: lines.length * LINE }}>
          <pre style={{ transform: `translateY(${first * LINE}px)` }}>
            {lines.slice(first, first + ROWS + 12).map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its index in the text
              <div key={first + at} data-hit={hits.includes(first + at) || undefined}>
                {line || " "}
              </div>
            ))}
          </pre>
        </div>
      </div>
    </div>
  );
}
