import type { Project } from "@/api/projectTypes";
import { countOf } from "@/ui/format";

interface NextStep {
  /** The current state. */
  says: string;
  /** What to do about it; absent if you should wait. */
  action?: { name: string; path: string };
}

/** Return what to do next in the project with your role: the first thing that keeps labels from coming in. */
export function nextStep(project: Project): NextStep {
  const { traces, tasks_wanting, open_rounds } = project.counts;
  if (project.status === "archived") return { says: "Archived. You can read it, but not change it." };
  if (project.role === "annotator") {
    if (tasks_wanting === 0 && project.screening) return { says: "New here? The screening comes first." };
    return tasks_wanting > 0
      ? { says: `${countOf(tasks_wanting, "label")} still wanted from all labelers together.` }
      : { says: "There is nothing to label now. New tasks will appear here." };
  }
  if (traces === 0) return { says: "No traces yet.", action: { name: "Import traces", path: "imports" } };
  if (open_rounds === 0) {
    return {
      says: `${countOf(traces, "trace")}, but no round is open, so nobody can label.`,
      action: { name: "Open a round", path: "rounds/new" },
    };
  }
  if (tasks_wanting === 0) {
    return {
      says: "Every task of the open rounds is labeled or being labeled.",
      action: { name: "See the rounds", path: "rounds" },
    };
  }
  return { says: `${countOf(tasks_wanting, "task")} waiting for labels.` };
}
