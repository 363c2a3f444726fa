import { type ReactNode, useEffect } from "react";
import { Link } from "react-router";
import { Term } from "./glossary/Term";
import classes from "./PageShell.module.css";

interface PageShellProps {
  /** The name of the current project. */
  context?: ReactNode;
  right?: ReactNode;
  children: ReactNode;
}

/** Header, navigation and main column of every page except the labeling page. */
export function PageShell({ context, right, children }: PageShellProps) {
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      <header className={classes.header}>
        <Link to="/" className={classes.brand}>
          Stepmark
        </Link>
        {context}
        <div className={classes.right}>{right}</div>
      </header>
      <main id="main" className={classes.main} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

interface PageHeadingProps {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}

/** The page's h1, which is also the title of the browser tab, the text next to it, and buttons at the end. */
export function PageHeading({ title, children, actions }: PageHeadingProps) {
  usePageTitle(title);
  return (
    <div className={classes.heading}>
      <div className={classes.title}>
        <h1>
          <Term whole>{title}</Term>
        </h1>
        {children}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Stepmark`;
  }, [title]);
}
