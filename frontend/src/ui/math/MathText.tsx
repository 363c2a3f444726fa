import "katex/dist/katex.min.css";
import { Fragment, type MouseEvent, memo, useLayoutEffect, useMemo, useRef } from "react";
import { CodeText } from "./CodeText";
import { scrollFormulas, watchFormulas } from "./fitFormulas";
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
  /** The start of a text, in a list: what is too wide is cut there like the rest, and is no place to scroll. */
  excerpt?: boolean;
}

/** Text from outside with its TeX, code and calculator marks. Text stays text: nothing in it can become HTML. */
export const MathText = memo(function MathText({ text, raw = false, program = false, excerpt = false }: MathTextProps) {
  const segments = useMemo(() => (raw || program ? [] : tidy(segment(text))), [text, raw, program]);
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const wanted = !excerpt && segments.some((part) => part.kind === "math");
    return wanted && root.current ? watchFormulas(root.current) : undefined;
  }, [segments, excerpt]);
  if (program) {
    return (
      <pre className={classes.program}>
        <CodeText text={text} />
      </pre>
    );
  }
  if (raw) return <pre className={classes.raw}>{text}</pre>;
  return (
    <div ref={root} className={classes.text}>
      {segments.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
        <Fragment key={index}>
          <Part part={part} alone={segments.length === 1} />
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

function Part({ part, alone }: { part: Segment; alone: boolean }) {
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
    case "marker":
      return (
        <span className={classes.marker} title={markerWords(part.text)}>
          <code className={classes.inlineCode}>{part.text}</code>
          {alone && ` ${markerWords(part.text)}`}
        </span>
      );
    case "newline":
      return part.count > 1 ? <span className={classes.gap} /> : <br />;
    case "code":
      return <CodeBlock text={part.text} language={part.language} collapsed={part.collapsed} />;
  }
}

/** What a sign on its own is there for; a fence and "$$" do not say which end they are. */
function markerWords(marker: string): string {
  if (/^```\s*```$/.test(marker)) return "a code block with nothing in it";
  if (marker.startsWith("```")) return marker === "```" ? "code begins or ends here" : "code begins here";
  if (marker === "$$") return "a formula begins or ends here";
  return marker === "\\[" ? "a formula begins here" : "a formula ends here";
}

function CodeBlock({ text, language, collapsed }: { text: string; language: string; collapsed: boolean }) {
  const code = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls sideways must be reachable by keyboard
    <pre className={classes.code} tabIndex={0}>
      <CodeText text={text} />
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
  const look = [classes.formula, display ? classes.display : tex.length <= SHORT_TEX ? classes.short : ""];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the arrow's keys are the page's
    <span className={look.join(" ")} data-formula={display ? "display" : "inline"} onClick={scrollByArrow}>
      <span
        className={classes.scroll}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: KaTeX's own markup with trust: false; it escapes all text
        dangerouslySetInnerHTML={{ __html: html }}
      />
    </span>
  );
}

/** Only the arrow that says there is more belongs to the outer element alone. */
function scrollByArrow(event: MouseEvent<HTMLElement>): void {
  const { currentTarget, target, clientX } = event;
  const { left, width } = currentTarget.getBoundingClientRect();
  const around = currentTarget.parentElement;
  if (target !== currentTarget || currentTarget.dataset.more === undefined || !around) return;
  scrollFormulas(around, clientX > left + width / 2 ? 1 : -1);
}
