import { useState } from "react";
import { Link } from "react-router";
import type { Project } from "@/api/projectTypes";
import { hasRole, useUser } from "@/api/session";
import { Button, ButtonLink } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { CreateProjectDialog } from "./CreateProjectDialog";
import { nextStep } from "./nextStep";
import { OwnInvitations } from "./OwnInvitations";
import classes from "./projects.module.css";
import { useProjects } from "./queries";

/** Your projects, each with what you can do there next. */
export function ProjectsPage() {
  const user = useUser();
  const projects = useProjects();
  const [creating, setCreating] = useState(false);
  const create = user.is_superuser && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      New project
    </Button>
  );
  return (
    <>
      <PageHeading title="Projects" actions={projects.rows?.length !== 0 && create} />
      <OwnInvitations />
      {projects.isPending && <SkeletonLines lines={6} />}
      {projects.error && !projects.rows && (
        <ErrorState inline error={projects.error} retry={() => void projects.refetch()} />
      )}
      {projects.rows?.length === 0 && <NoProjects superuser={user.is_superuser} create={create} />}
      <ul className={classes.list}>
        {projects.rows?.map((project) => (
          <ProjectCard key={project.slug} project={project} />
        ))}
      </ul>
      {projects.hasNextPage && (
        <Button disabled={projects.isFetchingNextPage} onClick={() => void projects.fetchNextPage()}>
          Load more
        </Button>
      )}
      <CreateProjectDialog opened={creating} onClose={() => setCreating(false)} />
    </>
  );
}

function NoProjects({ superuser, create }: { superuser: boolean; create: React.ReactNode }) {
  return superuser ? (
    <EmptyState inline title="No projects yet" actions={create}>
      <p>A project holds the traces to label together, the people who label them, and the guidelines.</p>
    </EmptyState>
  ) : (
    <EmptyState inline title="You are not in a project yet">
      <p>
        You join a project by invitation. Ask the person who runs the labeling for a link, or give them your user name.
        Their invitation then appears here.
      </p>
    </EmptyState>
  );
}

function ProjectCard({ project }: { project: Project }) {
  const step = nextStep(project);
  const { counts } = project;
  const researcher = hasRole(project.role, "researcher");
  const canLabel = project.status === "active" && (counts.tasks_wanting > 0 || (project.screening && !researcher));
  return (
    <li className={classes.card}>
      <div className={classes.about}>
        <h2>
          <Link to={`/projects/${project.slug}`}>{project.name}</Link>
        </h2>
        <p className={classes.role}>{project.role}</p>
        {project.description && <p className={classes.description}>{project.description}</p>}
      </div>
      {researcher && (
        <div className={classes.counts}>
          <p>
            <span>{countOf(counts.problems, "problem")}</span>
            <span>{countOf(counts.traces, "trace")}</span>
            <span>{countOf(counts.labels_submitted, "label")} submitted here</span>
          </p>
        </div>
      )}
      <div className={classes.next}>
        <p>{step.says}</p>
        {step.action && (
          <ButtonLink kind="primary" to={`/projects/${project.slug}/${step.action.path}`}>
            {step.action.name}
          </ButtonLink>
        )}
        {researcher && !step.action && <ButtonLink to={`/projects/${project.slug}/home`}>Home</ButtonLink>}
        {canLabel && (
          <ButtonLink kind={step.action ? "default" : "primary"} to={`/projects/${project.slug}/label`}>
            Label
          </ButtonLink>
        )}
      </div>
    </li>
  );
}
