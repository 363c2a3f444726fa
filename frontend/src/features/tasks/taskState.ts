import type { TaskState } from "@/api/projectTypes";
import type { StatusTone } from "@/ui/StatusMark";

export const TASK_STATES: Record<TaskState, { name: string; tone: StatusTone }> = {
  waiting: { name: "waiting", tone: "quiet" },
  in_progress: { name: "in progress", tone: "busy" },
  done: { name: "done", tone: "good" },
};
