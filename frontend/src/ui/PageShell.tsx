import { type ReactNode, useEffect } from "react";
import { Link } from "react-router";
import { Term } from "./glossary/Term";
import classes from "./PageShell.module.css";

interface PageShellProps {
  /** Links of the current project, or of the product. */
  nav?: ReactNode;
  /** Name of the project in view. */
  context?: ReactNode;
  right?: ReactNode;
  children: ReactNode;
}

/** Header, navigation and a main column: every page except the labeling page stands in it. */
export function PageShell({ nav, context, right, children }: PageShellProps) {
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
        {nav && (
          <nav className={classes.nav} aria-label="Pages">
            {nav}
          </nav>
        )}
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

/** The page's h1; it names the browser tab too. */
export function PageHeading({ title, children, actions }: PageHeadingProps) {
  usePageTitle(title);
  return (
    <div className={classes.heading}>
      <h1>
        <Term whole>{title}</Term>
      </h1>
      {children}
      {actions && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Stepmark`;
  }, [title]);
}
