import type { ReactNode } from "react";
import classes from "./BottomLine.module.css";

/** One sentence about what just happened or what is missing. It is shown in the line, and nothing else moves. */
export interface News {
  words: string;
  /** "ask": the labeler must do something before going on; "warn": something went wrong; none: for information only. */
  tone?: "ask" | "warn";
  /** What to do about it, as small buttons after the words. */
  actions?: readonly { words: string; keyCap?: string; run: () => void }[];
}

interface BottomLineProps {
  /** Left: the keys that have an effect now or, while something is asked, the question. */
  children?: ReactNode;
  news?: News | null;
  /** The state of the work: saved, being sent, kept here. */
  save?: ReactNode;
  /** The one way to continue: the button at the end. */
  action?: ReactNode;
  /** "asking": the line holds a question. */
  kind?: "keys" | "asking";
}

/**
 * The one quiet line at the bottom of a labeling page: keys on the left, all news on the right. Its height never
 * changes.
 */
export function BottomLine({ children, news = null, save, action, kind = "keys" }: BottomLineProps) {
  return (
    <footer className={classes.line} data-kind={kind}>
      {children && <div className={classes.keys}>{children}</div>}
      <div className={classes.end}>
        <NewsLine news={news} />
        {save}
        {action}
      </div>
    </footer>
  );
}

/**
 * Only the news: for the line, and for the phone's bar. The element is always there, so that screen readers announce
 * it.
 */
export function NewsLine({ news }: { news: News | null }) {
  return (
    <span className={classes.news} data-tone={news?.tone} role={news?.tone ? "alert" : "status"}>
      {news && <span>{news.words}</span>}
      {news?.actions?.map((action) => (
        <button key={action.words} type="button" onClick={action.run}>
          {action.keyCap && <kbd>{action.keyCap}</kbd>}
          {action.words}
        </button>
      ))}
    </span>
  );
}
