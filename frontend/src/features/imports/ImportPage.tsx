import { useParams } from "react-router";
import { formatDateTime } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { FormatName } from "./FormatName";
import { JobProgress } from "./JobProgress";
import { useImport } from "./queries";
import { SPLITS } from "./uploadChoice";

export function ImportPage() {
  const { slug = "", importId } = useParams();
  const { data: job } = useImport(Number(importId));
  return (
    <>
      <PageHeading title={`Import ${importId}`} />
      <JobProgress slug={slug} id={Number(importId)} />
      {job && (
        <Panel>
          <Facts
            facts={[
              ["Format", <FormatName key="format" job={job} />],
              ["Kind", job.dry_run ? "dry run: nothing was written" : "import"],
              ["Faulty rows", job.skip_faulty ? "skipped" : "stop the whole import"],
              ["Split", SPLITS.find(({ value }) => value === job.split)?.label ?? job.split],
              ["Recorded ratings", job.labels_of ? `labels of ${job.labels_of}` : "stay with their traces"],
              ["By", job.created_by?.display_name ?? "the machine"],
              ["Uploaded", formatDateTime(job.created_at)],
              ["Finished", job.finished_at ? formatDateTime(job.finished_at) : "not yet"],
            ]}
          />
        </Panel>
      )}
    </>
  );
}
