import type { ReactNode } from "react";
import classes from "./BottomLine.module.css";

/** One sentence about what just happened, or what is missing: it stands in the line, and nothing else moves. */
export interface News {
  words: string;
  /** "ask": something is to be done before it goes on; "warn": something went wrong; else it is only said. */
  tone?: "ask" | "warn";
  /** The way out, as small buttons behind the words. */
  actions?: readonly { words: string; keyCap?: string; run: () => void }[];
}

interface BottomLineProps {
  /** Left: the keys that do something now; or, while something is asked, the question. */
  children?: ReactNode;
  news?: News | null;
  /** Where the work is: saved, being sent, kept here. */
  save?: ReactNode;
  /** The one thing that goes on: the button at the end. */
  action?: ReactNode;
  /** "asking": the line holds a question. "phone": big buttons for the thumb are in it. */
  kind?: "keys" | "asking";
}

/** The one quiet line at the bottom of a labeling page: keys at its left, all news at its right. It is always as high. */
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

/** The news alone: for the line, and for the phone's bar. Its place is always there, so that it is read aloud. */
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
