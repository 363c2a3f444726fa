import "katex/dist/katex.min.css";
import { Fragment, memo, useEffect, useMemo, useRef } from "react";
import classes from "./MathText.module.css";
import { renderTex } from "./renderTex";
import { type Segment, segment } from "./segments";

/** A formula up to this long is kept on one line; it fits a phone. */
const SHORT_TEX = 24;

interface MathTextProps {
  text: string;
  /** Show the text as it was written, byte for byte. */
  raw?: boolean;
  /** The text is a line of a program: fixed width, indentation kept. */
  program?: boolean;
}

/** Text from outside with its TeX, code and calculator marks. Text stays text: nothing in it can become HTML. */
export const MathText = memo(function MathText({ text, raw = false, program = false }: MathTextProps) {
  const segments = useMemo(() => (raw || program ? [] : tidy(segment(text))), [text, raw, program]);
  if (raw) return <pre className={classes.raw}>{text}</pre>;
  if (program) return <pre className={classes.program}>{text}</pre>;
  return (
    <div className={classes.text}>
      {segments.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
        <Fragment key={index}>
          <Part part={part} />
        </Fragment>
      ))}
    </div>
  );
});

function isBlock(part: Segment | undefined): boolean {
  return part?.kind === "code" || (part?.kind === "math" && part.display);
}

/** A block brings its own space: newlines right beside one would only tear the text apart. */
function tidy(segments: Segment[]): Segment[] {
  return segments.filter((part, index) => {
    if (part.kind === "text" && part.text.trim() === "") {
      return !(isBlock(segments[index - 1]) || isBlock(segments[index + 1]));
    }
    if (part.kind !== "newline") return true;
    const edge = index === 0 || index === segments.length - 1;
    return !(edge || isBlock(segments[index - 1]) || isBlock(segments[index + 1]));
  });
}

function Part({ part }: { part: Segment }) {
  switch (part.kind) {
    case "text":
      return part.bold ? (
        <strong className={classes.line}>{part.text}</strong>
      ) : (
        <span className={classes.line}>{part.text}</span>
      );
    case "math":
      return <Formula tex={part.tex} display={part.display} source={part.source} />;
    case "inlineCode":
      return <code className={classes.inlineCode}>{part.text}</code>;
    case "calculator":
      return (
        <span className={classes.calculator} title="The model's calculator call">
          {part.text}
        </span>
      );
    case "newline":
      return part.count > 1 ? <span className={classes.gap} /> : <br />;
    case "code":
      return <CodeBlock text={part.text} language={part.language} collapsed={part.collapsed} />;
  }
}

function CodeBlock({ text, language, collapsed }: { text: string; language: string; collapsed: boolean }) {
  const code = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls sideways must be reachable by keyboard
    <pre className={classes.code} tabIndex={0}>
      {text}
    </pre>
  );
  if (!collapsed) return code;
  return (
    <details className={classes.figure}>
      <summary>Figure, as {language} source</summary>
      {code}
    </details>
  );
}

function Formula({ tex, display, source }: { tex: string; display: boolean; source: string }) {
  const { html, error } = renderTex(tex, display);
  const box = useRef<HTMLSpanElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another formula may be wider
  useEffect(() => {
    // What scrolls sideways must be reachable by keyboard; what fits must not be a stop on the way.
    const scrolls = display && box.current !== null && box.current.scrollWidth > box.current.clientWidth;
    if (scrolls) box.current?.setAttribute("tabindex", "0");
    else box.current?.removeAttribute("tabindex");
  }, [display, html]);
  if (html === null) {
    return (
      <span className={classes.bad} title={`This TeX cannot be shown: ${error}`}>
        <span className={classes.badMark} role="img" aria-label="This TeX cannot be shown:">
          ⚠
        </span>
        {source}
      </span>
    );
  }
  return (
    <span
      ref={box}
      className={display ? classes.display : tex.length <= SHORT_TEX ? classes.short : undefined}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: KaTeX's own markup with trust: false; it escapes all text
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
