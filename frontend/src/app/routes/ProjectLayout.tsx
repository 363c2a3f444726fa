import { useEffect, useState } from "react";
import { NavLink, Outlet, useLocation, useMatches, useParams } from "react-router";
import { ApiError } from "@/api/client";
import { useProject } from "@/api/projects";
import { hasRole, roleIn, useUser } from "@/api/session";
import type { Role } from "@/api/types";
import { ButtonLink } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { EmptyState } from "@/ui/states";
import classes from "./ProjectLayout.module.css";
import { pageGroups } from "./projectPages";

/** What a route may say of itself in `handle`. */
interface RouteHandle {
  least?: Role;
}

function useLeastRole(): Role {
  const handles = useMatches().map((match) => match.handle as RouteHandle | undefined);
  return handles.findLast((handle) => handle?.least)?.least ?? "annotator";
}

/** A project's pages beside its navigation; pages above the person's role are not drawn at all. */
export function ProjectLayout() {
  const { slug = "" } = useParams();
  const role = roleIn(useUser(), slug);
  const least = useLeastRole();
  const project = useProject(slug);
  const unknown = project.error instanceof ApiError && project.error.status === 404;

  if (role === null || unknown) {
    return (
      <EmptyState
        title="There is no such project for you"
        actions={<ButtonLink to="/projects">My projects</ButtonLink>}
      >
        <p>The address may be mistyped, or you are not, or no longer, a member. A project admin can invite you.</p>
      </EmptyState>
    );
  }
  return (
    <div className={classes.columns}>
      <ProjectNav slug={slug} role={role} />
      <div className={classes.page}>
        {project.data?.status === "archived" && (
          <Notice tone="warn" title="This project is archived">
            Everything can be read and exported; nothing can be labeled or changed until an admin activates it again.
          </Notice>
        )}
        {hasRole(role, least) ? (
          <Outlet />
        ) : (
          <EmptyState title="This page is not for your role">
            <p>
              It needs the role {least}; you are {role} here. A project admin can change that.
            </p>
          </EmptyState>
        )}
      </div>
    </div>
  );
}

function ProjectNav({ slug, role }: { slug: string; role: Role }) {
  const [opened, setOpened] = useState(false);
  const { pathname } = useLocation();
  const groups = pageGroups
    .map((group) => ({ ...group, pages: group.pages.filter((page) => hasRole(role, page.least)) }))
    .filter((group) => group.pages.length > 0);
  const current = groups
    .flatMap((group) => group.pages)
    .find((page) => `${pathname}/`.startsWith(`/projects/${slug}/${page.path}/`));

  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes whenever the page changes
  useEffect(() => setOpened(false), [pathname]);

  return (
    <nav className={classes.nav} aria-label="Project">
      <button
        type="button"
        className={classes.opener}
        aria-expanded={opened}
        aria-controls="project-pages"
        onClick={() => setOpened(!opened)}
      >
        <span>{current?.name ?? "Pages"}</span>
        <span aria-hidden>{opened ? "▴" : "▾"}</span>
      </button>
      <div id="project-pages" className={classes.groups} data-opened={opened}>
        {groups.map((group) => (
          <div key={group.name}>
            {groups.length > 1 && <p className={classes.group}>{group.name}</p>}
            <ul>
              {group.pages.map((page) => (
                <li key={page.path}>
                  <NavLink to={`/projects/${slug}/${page.path}`}>{page.name}</NavLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}
