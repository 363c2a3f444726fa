import { Navigate } from "react-router";
import { useUser } from "@/api/session";

/** The start page: an annotator with one project starts labeling there; everyone else chooses a project. */
export function RootPage() {
  const user = useUser();
  const only = user.memberships.length === 1 ? user.memberships[0] : undefined;
  if (only && only.role === "annotator" && !user.is_superuser) {
    return <Navigate to={`/projects/${only.project.slug}/label`} replace />;
  }
  return <Navigate to="/projects" replace />;
}
