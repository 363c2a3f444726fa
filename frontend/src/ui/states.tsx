import { createContext, type ReactNode, useContext } from "react";
import { Button } from "./Button";
import { Mark } from "./Mark";
import classes from "./states.module.css";

interface StateProps {
  title: string;
  children?: ReactNode;
  /** Buttons or links that say what to do next. */
  actions?: ReactNode;
  /** Inside a card or a table rather than a page of its own. */
  inline?: boolean;
  /** The drawing above the title; by default an empty tray. */
  mark?: ReactNode;
}

/** Says that nothing is here, and why: never a blank page. */
export function EmptyState({ title, children, actions, inline, mark = <Mark of="empty" /> }: StateProps) {
  const Heading = inline ? "h2" : "h1";
  return (
    <section className={`${classes.state} ${inline ? classes.inline : ""}`}>
      <span className={classes.mark} aria-hidden>
        {mark}
      </span>
      <Heading>{title}</Heading>
      {children && <div>{children}</div>}
      {actions && <div className={classes.actions}>{actions}</div>}
    </section>
  );
}

interface ErrorStateProps {
  title?: string;
  error: unknown;
  retry?: () => void;
  inline?: boolean;
  actions?: ReactNode;
}

/** Wraps pages: the link that leads back from a page that does not exist. */
export const WayOut = createContext<ReactNode>(null);

/** What failed, in the server's own sentence, with a button to try again or, where that cannot help (403, 404), a link. */
export function ErrorState({ title = "This did not load", error, retry, inline, actions }: ErrorStateProps) {
  const Heading = inline ? "h2" : "h1";
  const wayOut = useContext(WayOut);
  const refused = [403, 404].includes((error as { status?: number } | null)?.status ?? 0);
  const again = !refused && retry && <Button onClick={retry}>Try again</Button>;
  const ways = actions ?? (refused && wayOut);
  return (
    <section className={`${classes.state} ${classes.fault} ${inline ? classes.inline : ""}`} role="alert">
      <span className={classes.mark} aria-hidden>
        !
      </span>
      <Heading>{title}</Heading>
      <p>{error instanceof Error ? error.message : "Something unexpected went wrong."}</p>
      {(again || ways) && (
        <div className={classes.actions}>
          {again}
          {ways}
        </div>
      )}
    </section>
  );
}

interface SkeletonProps {
  width?: number | string;
  height?: number | string;
}

export function Skeleton({ width = "100%", height = "1em" }: SkeletonProps) {
  return <span className={classes.skeleton} style={{ width, height }} aria-hidden />;
}

/**
 * Grey placeholder for a sentence of about this many characters: it wraps like one, so nothing below moves when it
 * arrives.
 */
export function SkeletonText({ characters }: { characters: number }) {
  return (
    <span className={classes.sentence} aria-hidden>
      <span>{"average ".repeat(Math.ceil(characters / 8))}</span>
    </span>
  );
}

/** Grey lines in place of a list or a text that is loading. */
export function SkeletonLines({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} style={{ display: "grid", gap: 14, padding: "8px 0" }}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike and never move
        <Skeleton key={index} width={`${[96, 82, 90, 64][index % 4]}%`} />
      ))}
    </div>
  );
}
