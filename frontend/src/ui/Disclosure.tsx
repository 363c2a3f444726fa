import { type ReactNode, useState } from "react";
import classes from "./Disclosure.module.css";

interface DisclosureProps {
  title: ReactNode;
  /** Whether it is open initially. */
  start?: boolean;
  children: ReactNode;
}

/**
 * A part of the page that most readers skip: its name and, on demand, its content, which is rendered and fetched only
 * then.
 */
export function Disclosure({ title, start = false, children }: DisclosureProps) {
  const [opened, setOpened] = useState(start);
  return (
    <details className={classes.disclosure} open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>{title}</summary>
      {opened && <div className={classes.body}>{children}</div>}
    </details>
  );
}
