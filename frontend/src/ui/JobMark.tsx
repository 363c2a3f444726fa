import { StatusMark, type StatusTone } from "./StatusMark";

const JOBS: Record<string, { name: string; tone: StatusTone }> = {
  queued: { name: "queued", tone: "quiet" },
  running: { name: "running", tone: "busy" },
  succeeded: { name: "done", tone: "good" },
  failed: { name: "failed", tone: "bad" },
  cancelled: { name: "cancelled", tone: "quiet" },
};

/** The state of a worker's job. */
export function JobMark({ status }: { status: string }) {
  const { name, tone } = JOBS[status] ?? { name: status, tone: "quiet" };
  return <StatusMark tone={tone}>{name}</StatusMark>;
}
