import type { ReactNode } from "react";
import classes from "./Notice.module.css";

interface NoticeProps {
  tone: "good" | "bad" | "warn" | "info";
  title?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

/** Something the page has to say now; a fault is announced at once, the rest politely. */
export function Notice({ tone, title, children, actions }: NoticeProps) {
  return (
    <div className={`${classes.notice} ${classes[tone]}`} role={tone === "bad" ? "alert" : "status"}>
      {title && <strong>{title}</strong>}
      {children && <div>{children}</div>}
      {actions && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}

/** The sentence of a failed request; nothing while there is none. */
export function ErrorNotice({ error, title }: { error: unknown; title?: string }) {
  if (!error) return null;
  return (
    <Notice tone="bad" {...(title ? { title } : {})}>
      {error instanceof Error ? error.message : "Something unexpected went wrong."}
    </Notice>
  );
}
