import { Navigate, useParams } from "react-router";
import { useProject } from "@/api/projects";
import { hasRole, roleIn, useUser } from "@/api/session";
import { ButtonLink } from "@/ui/Button";
import { usePageTitle } from "@/ui/PageShell";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { nextStep } from "./nextStep";
import classes from "./projects.module.css";
import { WhereIAm } from "./WhereIAm";

/** The entrance of a project. Researchers are sent on to Home; annotators see what is waiting, and one large button. */
export function ProjectStartPage() {
  const { slug = "" } = useParams();
  const role = roleIn(useUser(), slug);
  const project = useProject(slug);
  usePageTitle(project.data?.name ?? "Project");

  if (hasRole(role, "researcher")) return <Navigate to={`/projects/${slug}/home`} replace />;
  if (project.isError && !project.data) {
    return <ErrorState inline error={project.error} retry={() => void project.refetch()} />;
  }
  if (!project.data) return <SkeletonLines lines={4} />;
  const { name, description, counts, status } = project.data;
  return (
    <div className={classes.start}>
      <h1>{name}</h1>
      {description && <p>{description}</p>}
      <p className={classes.waiting}>{nextStep(project.data).says}</p>
      {status === "active" && (
        <ButtonLink
          kind={counts.tasks_wanting > 0 ? "primary" : "default"}
          to={`/projects/${slug}/label`}
          className={classes.big}
        >
          Label
        </ButtonLink>
      )}
      <WhereIAm slug={slug} />
    </div>
  );
}
