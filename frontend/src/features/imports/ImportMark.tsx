import type { ImportJob } from "@/api/jobTypes";
import { JobMark } from "@/ui/JobMark";
import { StatusMark } from "@/ui/StatusMark";
import { checkedState } from "./importReport";

/** Where an import stands; of a file that was only checked, what the check found, for a check that ended is no success. */
export function ImportMark({ job }: { job: ImportJob }) {
  const found = checkedState(job);
  return found ? <StatusMark tone={found.tone}>{found.name}</StatusMark> : <JobMark status={job.status} />;
}
