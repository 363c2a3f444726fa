import { NavLink } from "react-router";
import classes from "./BellLink.module.css";
import { countOf } from "./format";

interface BellLinkProps {
  unread: number;
  /** Show a dot instead of the number: for pages where the work needs full attention. */
  calm?: boolean;
}

/** The link to the notices, with the number of unread ones. What it shows never moves its neighbours. */
export function BellLink({ unread, calm = false }: BellLinkProps) {
  const name = unread === 0 ? "Notices" : `Notices, ${countOf(unread, "unread one")}`;
  return (
    <NavLink to="/notices" className={classes.bell} aria-label={name} title={name}>
      <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden>
        <path
          d="M12 3.5a5.5 5.5 0 0 0-5.5 5.5c0 4.6-1.6 6-2.2 6.7-.4.5-.1 1.3.6 1.3h14.2c.7 0 1-.8.6-1.3-.6-.7-2.2-2.1-2.2-6.7A5.5 5.5 0 0 0 12 3.5Zm-2.2 16a2.3 2.3 0 0 0 4.4 0"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      {unread > 0 && (
        <span className={calm ? classes.dot : classes.count} aria-hidden>
          {!calm && (unread > 99 ? "99+" : unread)}
        </span>
      )}
    </NavLink>
  );
}
