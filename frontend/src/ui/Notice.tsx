import type { ReactNode } from "react";
import classes from "./Notice.module.css";

interface NoticeProps {
  tone: "good" | "bad" | "warn" | "info";
  title?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

/** A message that the page shows now. Screen readers announce a fault at once and anything else politely. */
export function Notice({ tone, title, children, actions }: NoticeProps) {
  return (
    <div className={`${classes.notice} ${classes[tone]}`} role={tone === "bad" ? "alert" : "status"}>
      {title && <strong>{title}</strong>}
      {children && <div>{children}</div>}
      {actions && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}

/** The message of a failed request; nothing without an error. */
export function ErrorNotice({ error, title }: { error: unknown; title?: string }) {
  if (!error) return null;
  return (
    <Notice tone="bad" {...(title ? { title } : {})}>
      {error instanceof Error ? error.message : "Something unexpected went wrong."}
    </Notice>
  );
}
