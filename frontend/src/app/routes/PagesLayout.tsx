import "@mantine/core/styles.layer.css";
import { useEffect, useRef } from "react";
import { Link, type Location, NavLink, Outlet, ScrollRestoration, useLocation, useParams } from "react-router";
import { useProject } from "@/api/projects";
import { useLogOut, useUser } from "@/api/session";
import { Bell } from "@/features/notices/Bell";
import { Button, ButtonLink } from "@/ui/Button";
import { ColorSchemeToggle } from "@/ui/ColorSchemeToggle";
import { PageShell } from "@/ui/PageShell";
import { WayOut } from "@/ui/states";
import classes from "./PagesLayout.module.css";

/** The shell around every page but the labeling page; Mantine's full style sheet is loaded only here. */
export function PagesLayout() {
  const { slug } = useParams();
  useFocusOnNewPage();
  return (
    <PageShell context={slug && <ProjectName slug={slug} />} right={<Account />}>
      <WayOut value={<ButtonLink to="/">Start page</ButtonLink>}>
        <Outlet />
      </WayOut>
      <ScrollRestoration getKey={placeOf} />
    </PageShell>
  );
}

function ProjectName({ slug }: { slug: string }) {
  const user = useUser();
  const project = useProject(slug);
  const membership = user.memberships.find((candidate) => candidate.project.slug === slug);
  const name = project.data?.name ?? membership?.project.name;
  return (
    <nav className={classes.crumbs} aria-label="Where you are">
      <span aria-hidden>/</span>
      <NavLink to="/projects" end>
        Projects
      </NavLink>
      {name && (
        <>
          <span aria-hidden>/</span>
          <Link to={`/projects/${slug}`} className={classes.project} title={name}>
            {name}
          </Link>
        </>
      )}
    </nav>
  );
}

function Account() {
  const user = useUser();
  const logOut = useLogOut();
  return (
    <div className={classes.account}>
      <Bell />
      <ColorSchemeToggle />
      {user.is_superuser && (
        <NavLink to="/site" className={classes.person} title="Workers, queues, disk, database, configuration">
          Site
        </NavLink>
      )}
      <NavLink to="/account" className={classes.person} title="Password, API tokens, appearance">
        {user.display_name || user.username}
      </NavLink>
      <Button kind="plain" disabled={logOut.isPending} onClick={() => logOut.mutate()}>
        Log out
      </Button>
    </div>
  );
}

/**
 * The key for the scroll position. Every page loaded by its address has the key "default", so its address is used:
 * otherwise one page would open scrolled to where another was.
 */
function placeOf({ key, pathname, search }: Location): string {
  return key === "default" ? `${pathname}${search}` : key;
}

/** Move the focus to the start of the new page after a click on a link, as a page load would. */
function useFocusOnNewPage() {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [pathname]);
}
