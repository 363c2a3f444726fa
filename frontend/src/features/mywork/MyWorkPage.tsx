import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";
import { usePaged } from "@/api/paged";
import { useUser } from "@/api/session";
import type { LabelSummary } from "@/api/types";
import { useDesk } from "@/api/useDesk";
import { ButtonLink } from "@/ui/Button";
import { PagedTable } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { historyColumns } from "./historyColumns";
import { MyNumbers } from "./MyNumbers";
import { myStatsQuery } from "./queries";
import { Replies } from "./Replies";
import { RevealDialog } from "./RevealDialog";
import { WaitingSubmissions } from "./WaitingSubmissions";

/** A labeler's own numbers and history: what was submitted, what waits, what can still be changed. */
export function MyWorkPage() {
  const { slug = "" } = useParams();
  const user = useUser();
  const desk = useDesk(user.id);
  const stats = useQuery(myStatsQuery(slug));
  const labels = usePaged<LabelSummary>(["my-labels", slug], `/api/projects/${slug}/my_labels`);
  const [revealing, setRevealing] = useState<LabelSummary | null>(null);
  return (
    <>
      <PageHeading
        title="My work"
        actions={
          <ButtonLink kind="primary" to={`/projects/${slug}/label`}>
            Go on labeling
          </ButtonLink>
        }
      />
      {desk && <WaitingSubmissions slug={slug} outbox={desk.outbox} />}
      {stats.isPending && <SkeletonLines lines={4} label="Loading your numbers" />}
      {stats.isError && <ErrorState inline error={stats.error} retry={() => void stats.refetch()} />}
      {stats.data && <MyNumbers stats={stats.data} />}
      <Replies slug={slug} />
      <Panel title="History" note="A label can be revised until the time shown; the earlier version is kept beside it.">
        <PagedTable
          caption="Your labels, newest first"
          list={labels}
          columns={historyColumns(slug, stats.data?.can_reveal_scores ? setRevealing : null)}
          rowKey={(label) => label.id}
          one="label"
          empty={
            <EmptyState inline title="Nothing labeled yet">
              <p>Your labels are listed here from the first one on.</p>
            </EmptyState>
          }
        />
      </Panel>
      <RevealDialog label={revealing} onClose={() => setRevealing(null)} />
    </>
  );
}
