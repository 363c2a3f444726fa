import { hasRole } from "@/api/session";
import type { Role } from "@/api/types";

export interface ProjectPage {
  /** Relative to `/projects/:slug/`. */
  path: string;
  name: string;
  least: Role;
}

export interface Section {
  name: string;
  /** The section's entry leads to the first page that the person may see; the others are tabs next to it. */
  pages: ProjectPage[];
}

const page = (path: string, name: string, least: Role = "researcher"): ProjectPage => ({ path, name, least });

/** The labeler's side: everything that an annotator sees, each as an entry of its own. */
export const labelerPages: ProjectPage[] = [
  page("label", "Label", "annotator"),
  page("my-work", "My work", "annotator"),
  page("my-coaching", "How I am doing", "annotator"),
  page("guidelines", "Guidelines", "annotator"),
];

/**
 * The sections of a project, by the jobs done in it and in their order. Every page is in one section, with its least
 * role.
 */
export const sections: Section[] = [
  { name: "Home", pages: [page("home", "Home")] },
  {
    name: "Data",
    pages: [page("traces", "Traces"), page("imports", "Imports"), page("gradings", "Gradings"), page("gold", "Gold")],
  },
  { name: "Rounds", pages: [page("rounds", "Rounds"), page("tasks", "Tasks"), page("leases", "Leases")] },
  {
    name: "Labels",
    pages: [
      page("labels", "All labels"),
      page("review", "Review"),
      page("label-audits", "Label audits"),
      page("agreement", "Agreement"),
    ],
  },
  {
    name: "People",
    pages: [
      page("people", "People", "admin"),
      page("labelers", "Labelers"),
      page("labeler-quality", "Labeler quality"),
    ],
  },
  {
    name: "Models",
    pages: [
      page("models", "Models"),
      page("prms", "PRMs"),
      page("evaluations", "Evaluations"),
      page("sources", "Machine labels"),
      page("failures", "Known failures"),
    ],
  },
  { name: "Releases", pages: [page("releases", "Releases"), page("exports", "Exports")] },
  {
    name: "Settings",
    pages: [
      page("settings", "Settings", "admin"),
      page("guidelines", "Guidelines", "annotator"),
      page("webhooks", "Webhooks", "admin"),
      page("audit", "Audit log", "admin"),
      page("retention", "Deletion and retention", "admin"),
    ],
  },
  {
    name: "Label",
    pages: labelerPages.filter(({ path }) => path !== "guidelines"),
  },
];

/**
 * The navigation for a role: the sections with the pages it may see or, for an annotator, each page as its own entry.
 */
export function entriesFor(role: Role): Section[] {
  if (!hasRole(role, "researcher")) return labelerPages.map((page) => ({ name: page.name, pages: [page] }));
  return sections
    .map(({ name, pages }) => ({ name, pages: pages.filter((page) => hasRole(role, page.least)) }))
    .filter(({ pages }) => pages.length > 0);
}
