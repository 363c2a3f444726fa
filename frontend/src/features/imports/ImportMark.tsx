import type { ImportJob } from "@/api/jobTypes";
import { JobMark } from "@/ui/JobMark";
import { StatusMark } from "@/ui/StatusMark";
import { checkedState } from "./importReport";

/**
 * The status of an import. For a file that was only checked, what the check found: a finished check is not a success.
 */
export function ImportMark({ job }: { job: ImportJob }) {
  const found = checkedState(job);
  return found ? <StatusMark tone={found.tone}>{found.name}</StatusMark> : <JobMark status={job.status} />;
}
