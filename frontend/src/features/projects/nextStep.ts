import type { Project } from "@/api/projectTypes";
import { countOf } from "@/ui/format";

interface NextStep {
  /** What is so. */
  says: string;
  /** What to do about it; none where waiting is right. */
  action?: { name: string; path: string };
}

/** What somebody with this role should do next in the project: the first thing that keeps labels from coming in. */
export function nextStep(project: Project): NextStep {
  const { traces, tasks_wanting, open_rounds } = project.counts;
  if (project.status === "archived") return { says: "Archived: it can be read, not changed." };
  if (project.role === "annotator") {
    if (tasks_wanting === 0 && project.screening) return { says: "New here? The screening comes first." };
    return tasks_wanting > 0
      ? { says: `${countOf(tasks_wanting, "label")} still wanted, of all labelers together.` }
      : { says: "Nothing waits for a label now. You need do nothing; new tasks appear here." };
  }
  if (traces === 0) return { says: "No traces yet.", action: { name: "Import traces", path: "imports" } };
  if (open_rounds === 0) {
    return {
      says: `${countOf(traces, "trace")}, but no round is open: nobody can label.`,
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
