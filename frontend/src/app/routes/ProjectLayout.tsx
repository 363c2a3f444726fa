import { useCallback, useEffect, useRef, useState } from "react";
import { Link, NavLink, Outlet, useLocation, useMatches, useParams } from "react-router";
import { ApiError } from "@/api/client";
import { useBadges } from "@/api/forecast";
import { useProject } from "@/api/projects";
import { hasRole, roleIn, useUser } from "@/api/session";
import type { Role } from "@/api/types";
import { badgesOf } from "@/features/overview/homeWords";
import { ArchivedProject } from "@/ui/ActiveProject";
import { ButtonLink } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { formatDateTime } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { EmptyState, WayOut } from "@/ui/states";
import classes from "./ProjectLayout.module.css";
import { entriesFor, type ProjectPage, type Section } from "./projectPages";

/** What a route can declare about itself in `handle`. */
interface RouteHandle {
  least?: Role;
}

function useLeastRole(): Role {
  const handles = useMatches().map((match) => match.handle as RouteHandle | undefined);
  return handles.findLast((handle) => handle?.least)?.least ?? "annotator";
}

/**
 * Return whether the project is archived, or null while that is unknown. A project that was archived when the session
 * was read is known to be before the project arrives; an active one may have been archived since.
 */
function useArchived(slug: string): boolean | null {
  const project = useProject(slug);
  const own = useUser().memberships.find((membership) => membership.project.slug === slug);
  if (project.data) return project.data.status === "archived";
  if (own?.project.status === "archived") return true;
  return project.isError ? false : null;
}

/** A project's pages next to its navigation; pages above the person's role are not rendered at all. */
export function ProjectLayout() {
  const { slug = "" } = useParams();
  const role = roleIn(useUser(), slug);
  const least = useLeastRole();
  const project = useProject(slug);
  const unknown = project.error instanceof ApiError && project.error.status === 404;
  const archived = useArchived(slug);

  if (role === null || unknown) {
    return (
      <EmptyState title="Project not found" actions={<ButtonLink to="/projects">My projects</ButtonLink>}>
        <p>The address may be wrong, or you are not a member of the project. A project admin can invite you.</p>
      </EmptyState>
    );
  }
  return (
    <div className={classes.columns}>
      <ProjectNav slug={slug} role={role} />
      <div className={classes.page}>
        {project.data?.taken_out_at && (
          <Notice tone="warn" title="This project was taken out to a file">
            Its problems, labels and everything else left the database on {formatDateTime(project.data.taken_out_at)}.
            An admin brings them back in Settings, an operator with manage.py bring_back_project.
          </Notice>
        )}
        {archived && !project.data?.taken_out_at && (
          <Notice tone="warn" title="This project is archived">
            You can read and export everything. You cannot label, import or open rounds until an admin activates it
            again.
          </Notice>
        )}
        {hasRole(role, least) ? (
          <>
            <SectionTabs slug={slug} role={role} />
            <ArchivedProject value={archived}>
              <WayOut value={<Back slug={slug} role={role} />}>
                <Outlet />
              </WayOut>
            </ArchivedProject>
          </>
        ) : (
          <EmptyState
            title="This page is not for your role"
            actions={<ButtonLink to={`/projects/${slug}`}>Back to the project</ButtonLink>}
          >
            <p>
              It needs the role {least}; you are {role} here. A project admin can change that.
            </p>
          </EmptyState>
        )}
      </div>
    </div>
  );
}

/** From one row's page to the list that the row is in; from a list to the project. */
function Back({ slug, role }: { slug: string; role: Role }) {
  const { pathname } = useLocation();
  const list = entriesFor(role)
    .flatMap((entry) => entry.pages)
    .find((page) => stands(pathname, slug, page));
  if (!list || pathname.endsWith(`/${list.path}`)) {
    return <ButtonLink to={`/projects/${slug}`}>Back to the project</ButtonLink>;
  }
  return <ButtonLink to={`/projects/${slug}/${list.path}`}>Back to {list.name}</ButtonLink>;
}

function ProjectNav({ slug, role }: { slug: string; role: Role }) {
  const [opened, setOpened] = useState(false);
  const { pathname } = useLocation();
  const entries = entriesFor(role);
  const waiting = useBadges(slug, hasRole(role, "researcher"));
  const badges = badgesOf(waiting.data?.waits ?? []);
  const current = entries.find((entry) => entry.pages.some((page) => stands(pathname, slug, page)));
  const close = useCallback(() => setOpened(false), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer of a phone closes whenever the page changes
  useEffect(close, [pathname]);

  return (
    <div className={classes.side}>
      <button type="button" className={classes.opener} aria-haspopup="dialog" onClick={() => setOpened(true)}>
        <span>{current?.name ?? "Pages"}</span>
        <span aria-hidden>☰</span>
      </button>
      <Entries slug={slug} entries={entries} current={current} badges={badges} />
      {opened && (
        <Dialog title="Pages" shape="drawer" onClose={close}>
          <Entries slug={slug} entries={entries} current={current} badges={badges} inDrawer />
        </Dialog>
      )}
    </div>
  );
}

interface EntriesProps {
  slug: string;
  entries: Section[];
  current: Section | undefined;
  /** The number of decisions that wait, by the entry's name. */
  badges: Record<string, number>;
  inDrawer?: boolean;
}

/** One link for each section; the labeler's side is set apart below the others. */
function Entries({ slug, entries, current, badges, inDrawer = false }: EntriesProps) {
  return (
    <nav className={inDrawer ? classes.drawn : classes.nav} aria-label="Project">
      <ul>
        {entries.map((entry) => (
          <li key={entry.name} className={entries.length > 5 && entry.name === "Label" ? classes.apart : undefined}>
            <Link
              to={`/projects/${slug}/${entry.pages[0]?.path}`}
              aria-current={entry === current ? "page" : undefined}
              data-first={inDrawer && entry === current ? "" : undefined}
            >
              {entry.name}
            </Link>
            {badges[entry.name] !== undefined && (
              <span className={classes.badge}>
                {badges[entry.name]}
                <span className="visually-hidden">
                  {" "}
                  {badges[entry.name] === 1 ? "decision waits" : "decisions wait"}
                </span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The pages of the current section as tabs; a section with one page has none. */
function SectionTabs({ slug, role }: { slug: string; role: Role }) {
  const { pathname } = useLocation();
  const tabs = useRef<HTMLElement>(null);
  const current = entriesFor(role).find((entry) => entry.pages.some((page) => stands(pathname, slug, page)));
  const page = current?.pages.find((one) => stands(pathname, slug, one))?.path;
  useEffect(() => {
    const own = page && tabs.current?.querySelector("[aria-current=page]");
    if (!own || !tabs.current) return;
    tabs.current.scrollLeft += Math.max(
      0,
      own.getBoundingClientRect().right - tabs.current.getBoundingClientRect().right,
    );
  }, [page]); // a phone shows only the first tabs: the current one must be in view
  if (!current || current.pages.length < 2) return null;
  return (
    <nav ref={tabs} className={classes.tabs} aria-label={`Pages of ${current.name}`}>
      {current.pages.map((page) => (
        <NavLink key={page.path} to={`/projects/${slug}/${page.path}`}>
          {page.name}
        </NavLink>
      ))}
    </nav>
  );
}

function stands(pathname: string, slug: string, page: ProjectPage): boolean {
  return `${pathname}/`.startsWith(`/projects/${slug}/${page.path}/`);
}
