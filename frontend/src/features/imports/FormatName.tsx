import type { ImportJob } from "@/api/jobTypes";
import { FormatTitle } from "@/ui/FormatTitle";
import { unknownFormat } from "./importReport";
import { useImportFormats } from "./queries";

/** The format in which a file was read: the name under which it is chosen, and its id. */
export function FormatName({ job }: { job: ImportJob }) {
  const known = useImportFormats();
  if (!job.format) return unknownFormat(job);
  return <FormatTitle title={known.data?.formats.find(({ name }) => name === job.format)?.title} id={job.format} />;
}
