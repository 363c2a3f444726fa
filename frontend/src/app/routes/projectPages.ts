import type { Role } from "@/api/types";

export interface ProjectPage {
  /** Under `/projects/:slug/`. */
  path: string;
  name: string;
  least: Role;
}

export interface PageGroup {
  name: string;
  pages: ProjectPage[];
}

/** The pages of a project as its navigation shows them, each with the least role that sees it. */
export const pageGroups: PageGroup[] = [
  {
    name: "Labeling",
    pages: [
      { path: "label", name: "Label", least: "annotator" },
      { path: "my-work", name: "My work", least: "annotator" },
      { path: "my-coaching", name: "How I am doing", least: "annotator" },
      { path: "guidelines", name: "Guidelines", least: "annotator" },
    ],
  },
  {
    name: "Research",
    pages: [
      { path: "overview", name: "Overview", least: "researcher" },
      { path: "traces", name: "Traces", least: "researcher" },
      { path: "imports", name: "Imports", least: "researcher" },
      { path: "gradings", name: "Gradings", least: "researcher" },
      { path: "rounds", name: "Rounds", least: "researcher" },
      { path: "prms", name: "PRMs", least: "researcher" },
      { path: "sources", name: "Machine labels", least: "researcher" },
      { path: "failures", name: "Known failures", least: "researcher" },
      { path: "evaluations", name: "Evaluations", least: "researcher" },
      { path: "tasks", name: "Tasks", least: "researcher" },
      { path: "leases", name: "Leases", least: "researcher" },
      { path: "exports", name: "Exports", least: "researcher" },
      { path: "releases", name: "Releases", least: "researcher" },
    ],
  },
  {
    name: "Quality",
    pages: [
      { path: "gold", name: "Gold", least: "researcher" },
      { path: "labeler-quality", name: "Labeler quality", least: "researcher" },
      { path: "review", name: "Review", least: "researcher" },
      { path: "label-audits", name: "Label audits", least: "researcher" },
      { path: "agreement", name: "Agreement", least: "researcher" },
    ],
  },
  {
    name: "Administration",
    pages: [
      { path: "labelers", name: "Labelers", least: "admin" },
      { path: "people", name: "People", least: "admin" },
      { path: "settings", name: "Settings", least: "admin" },
      { path: "webhooks", name: "Webhooks", least: "admin" },
      { path: "audit", name: "Audit log", least: "admin" },
    ],
  },
];
