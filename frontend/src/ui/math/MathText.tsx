import "katex/dist/katex.min.css";
import { type CSSProperties, type MouseEvent, memo, type ReactNode, useLayoutEffect, useMemo, useRef } from "react";
import { readable } from "@/ui/readable";
import { CodeText } from "./CodeText";
import { drawable } from "./drawable";
import { scrollFormulas, watchFormulas } from "./fitFormulas";
import classes from "./MathText.module.css";
import { partedAtMinus } from "./minus";
import { renderTex } from "./renderTex";
import type { Segment } from "./segmentKinds";
import { segment } from "./segments";

/** TeX up to this length is kept on one line; it fits a phone. */
const SHORT_TEX = 24;

/** Spaces and characters without a shape: a text with nothing else looks empty. */
const NOTHING_SEEN = /^(?:[\s\p{Cf}\u115f\u1160\u3164]|\u034f)+$/u;

interface MathTextProps {
  text: string;
  /** Show the text as it was written, except for the characters that `readable` replaces. */
  raw?: boolean;
  /** The text is a line of a program: fixed width, indentation kept. */
  program?: boolean;
  /** What closes the formula that an earlier step opened, if the text begins within one. */
  within?: string | null;
  /** The text is an excerpt in a list: content that is too wide is cut off like the rest and does not scroll. */
  excerpt?: boolean;
}

/** Text from outside with its TeX, code and calculator marks. It stays text: nothing in it can become HTML. */
export const MathText = memo(function MathText(props: MathTextProps) {
  const { raw = false, program = false, excerpt = false, within = null } = props;
  const text = readable(props.text);
  const segments = useMemo(
    () => (raw || program ? [] : marksBehind(tidy(drawable(segment(text, within))))),
    [text, raw, program, within],
  );
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const wanted =
      !excerpt && segments.some((part) => part.kind === "math" || part.kind === "table" || part.kind === "item");
    return wanted && root.current ? watchFormulas(root.current) : undefined;
  }, [segments, excerpt]);
  if (raw) return <pre className={classes.raw}>{text}</pre>;
  if (NOTHING_SEEN.test(props.text)) {
    return (
      <div className={classes.marker} data-not-read>
        nothing that can be seen
      </div>
    );
  }
  if (program) {
    return (
      <pre className={classes.program}>
        <CodeText text={text} />
      </pre>
    );
  }
  return (
    <div ref={root} className={classes.text}>
      {inItems(segments).map((part, index) =>
        Array.isArray(part) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
          <ListItem key={index} item={part} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
          <Part key={index} part={part} alone={segments.length === 1} />
        ),
      )}
    </div>
  );
});

type Item = [Extract<Segment, { kind: "item" }>, ...Segment[]];

/** Group each list item with what belongs to it: the rest of its line, and the lines indented under it. */
function inItems(segments: readonly Segment[]): (Segment | Item)[] {
  const found: (Segment | Item)[] = [];
  let open: Item | null = null;
  for (const [index, part] of segments.entries()) {
    if (part.kind === "item") {
      open = [part];
      found.push(open);
    } else if (open && part.kind === "newline" && !goesOn(part, segments[index + 1])) {
      open = null;
      if (part.count > 1) found.push(part);
    } else (open ?? found).push(part);
  }
  return found;
}

function goesOn(gap: Segment, next: Segment | undefined): boolean {
  return gap.kind === "newline" && gap.count === 1 && next?.kind === "text" && /^ {2,}\S/.test(next.text);
}

function ListItem({ item: [{ mark, depth }, ...rest] }: { item: Item }) {
  return (
    <div className={classes.item} style={{ "--depth": depth } as CSSProperties}>
      <span className={classes.mark}>{mark} </span>
      <div>
        <Parts parts={rest} />
      </div>
    </div>
  );
}

function Parts({ parts }: { parts: readonly Segment[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
  return parts.map((part, index) => <Part key={index} part={part} alone={false} />);
}

const BLOCKS: ReadonlySet<Segment["kind"]> = new Set(["code", "figure", "table", "rule"]);

function isBlock(part: Segment | undefined): boolean {
  if (part?.kind === "math") return part.display;
  return part !== undefined && BLOCKS.has(part.kind);
}

const NUMBER = /^-?\$?\d+(?:,\d{3})*(?:\.\d+)?/;

/** Move each calculator mark behind its result: "= $<<25*6=150>>150" reads "= $150". */
function marksBehind(segments: readonly Segment[]): Segment[] {
  const found: Segment[] = [];
  for (const part of segments) {
    const mark = found.at(-1);
    const number = part.kind === "text" && mark?.kind === "calculator" ? NUMBER.exec(part.text)?.[0] : undefined;
    if (part.kind !== "text" || mark === undefined || number === undefined) {
      found.push(part);
      continue;
    }
    found.pop();
    const before = found.at(-1);
    if (before?.kind === "text" && before.bold === part.bold && before.italic === part.italic)
      found[found.length - 1] = { ...before, text: before.text + number };
    else found.push({ ...part, text: number });
    found.push(mark, { ...part, text: part.text.slice(number.length) });
  }
  return found;
}

/**
 * Drop newlines next to blocks, and spaces in front of the words behind one: a block has its own spacing, and they would
 * only pull the text apart.
 */
function tidy(segments: Segment[]): Segment[] {
  const kept = segments.filter((part, index) => {
    if (part.kind === "text" && part.text.trim() === "") {
      return !(isBlock(segments[index - 1]) || isBlock(segments[index + 1]));
    }
    if (part.kind !== "newline") return true;
    const edge = index === 0 || index === segments.length - 1;
    if (part.count === 1 && segments[index + 1]?.kind === "item" && !edge)
      return segments[index - 1]?.kind === "newline";
    return !(edge || isBlock(segments[index - 1]) || isBlock(segments[index + 1]));
  });
  return kept.map((part, index) =>
    part.kind === "text" && isBlock(kept[index - 1]) ? { ...part, text: part.text.replace(/^ +/, "") } : part,
  );
}

function Part({ part, alone }: { part: Segment; alone: boolean }) {
  switch (part.kind) {
    case "text":
      return <Words text={part.text} bold={part.bold} italic={part.italic ?? false} />;
    case "math":
      return <Formula {...part} />;
    case "inlineCode":
      return <code className={classes.inlineCode}>{part.text}</code>;
    case "calculator":
      return (
        <span className={classes.calculator} title={`The model's calculator call: ${part.text}`}>
          {signsKept(part.text)}
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
      return part.count > 1 ? <span className={classes.gap} data-gap /> : <br />;
    case "code":
      return <CodeBlock text={part.text} />;
    case "figure":
      return <MissingFigure {...part} />;
    case "table":
      return <Table rows={part.rows} aligns={part.aligns} />;
    case "link":
      return (
        <span className={classes.link}>
          <Parts parts={part.words} /> <span className={classes.address}>{part.address}</span>
        </span>
      );
    case "rule":
      return <hr className={classes.rule} />;
    case "item":
      return `${part.mark} `;
    case "rest":
      return (
        <details className={classes.figure} data-not-read>
          <summary>Too long to render. The rest, as it was written</summary>
          <pre className={classes.raw}>{part.source}</pre>
        </details>
      );
  }
}

/** Keep a minus on the same line as what follows it. */
function signsKept(text: string): ReactNode {
  return partedAtMinus(text).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      <span key={index} className={classes.kept}>
        {part}
      </span>
    ),
  );
}

function Words({ text, bold, italic }: { text: string; bold: boolean; italic: boolean }) {
  const words = signsKept(text);
  const Style = bold ? "strong" : italic ? "em" : "span";
  return <Style className={classes.line}>{bold && italic ? <em>{words}</em> : words}</Style>;
}

type TableProps = Pick<Extract<Segment, { kind: "table" }>, "rows" | "aligns">;

function Table({ rows: [head, ...body], aligns }: TableProps) {
  const cells = (row: Segment[][], Cell: "th" | "td") =>
    row.map((cell, column) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a row never move
      <Cell key={column} style={{ textAlign: aligns[column] ?? "left" }}>
        <Parts parts={cell} />
      </Cell>
    ));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the page has keys for it
    <div className={classes.tableBox} data-table onClick={scrollByArrow}>
      <div className={classes.scroll}>
        <table className={classes.table}>
          <thead>
            <tr>{cells(head ?? [], "th")}</tr>
          </thead>
          <tbody>
            {body.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a table never move
              <tr key={index}>{cells(row, "td")}</tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Says which figure is missing, with its source on demand. Nothing is fetched. */
function MissingFigure({ language, text, words }: Omit<Extract<Segment, { kind: "figure" }>, "kind" | "source">) {
  const drawn = language === "asymptote";
  const inText = text.startsWith("data:");
  return (
    <figure className={classes.figure} data-not-read>
      <figcaption>
        <b>A figure is missing here.</b>{" "}
        {drawn
          ? "It is an Asymptote drawing, which this page cannot draw."
          : `${inText ? "It is an image in the text, which this page does not draw" : "It is an image elsewhere, which is not loaded"}${words ? `: “${words}”` : ""}.`}{" "}
        If you cannot judge the problem without it, report a bad problem: missing figure.
      </figcaption>
      <details>
        <summary>{drawn ? "Source of the drawing" : inText ? "Source of the image" : "Address of the image"}</summary>
        <CodeBlock text={text} />
      </details>
    </figure>
  );
}

/** What a marker means; a fence or "$$" alone does not show which end it is. */
function markerWords(marker: string): string {
  if (/^(```|~~~)\s*\1$/.test(marker)) return "an empty code block";
  if (/^(```|~~~)/.test(marker)) return marker.length === 3 ? "code begins or ends here" : "code begins here";
  if (marker === "$$") return "a formula begins or ends here";
  return marker === "\\[" ? "a formula begins here" : "a formula ends here";
}

function CodeBlock({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls sideways must be reachable by keyboard
    <pre className={classes.code} tabIndex={0}>
      <CodeText text={text} />
    </pre>
  );
}

function Formula({ tex, display, source }: Extract<Segment, { kind: "math" }>) {
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
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the page has keys for it
    <span
      className={look.join(" ")}
      data-formula={display ? "display" : "inline"}
      data-tex={source}
      onClick={scrollByArrow}
    >
      <span
        className={classes.scroll}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: KaTeX's own markup with trust: false; it escapes all text
        dangerouslySetInnerHTML={{ __html: html }}
      />
    </span>
  );
}

/** Scroll on a click on the arrow that shows there is more: only it belongs to the outer element itself. */
function scrollByArrow(event: MouseEvent<HTMLElement>): void {
  const { currentTarget, target, clientX } = event;
  const { left, width } = currentTarget.getBoundingClientRect();
  const around = currentTarget.parentElement;
  if (target !== currentTarget || currentTarget.dataset.more === undefined || !around) return;
  scrollFormulas(around, clientX > left + width / 2 ? 1 : -1);
}
