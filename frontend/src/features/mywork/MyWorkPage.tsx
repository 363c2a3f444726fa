import { Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";
import { usePaged } from "@/api/paged";
import { useUser } from "@/api/session";
import type { MyLabel } from "@/api/types";
import { useDesk } from "@/api/useDesk";
import { Button, ButtonLink } from "@/ui/Button";
import { PagedTable } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { SearchField } from "@/ui/SearchField";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { historyColumns } from "./historyColumns";
import { MyNumbers } from "./MyNumbers";
import classes from "./mywork.module.css";
import { noneFound } from "./noneFound";
import { myStatsQuery } from "./queries";
import { Replies } from "./Replies";
import { RevealDialog } from "./RevealDialog";
import { WaitingSubmissions } from "./WaitingSubmissions";

const RESULTS = [
  { value: "", label: "All" },
  { value: "error", label: "Found an error" },
  { value: "no_error", label: "Right to the end" },
  { value: "bad_problem", label: "Bad problem" },
  { value: "give_up", label: "Gave up" },
  { value: "unfinished", label: "Not finished" },
];

/** A labeler's own numbers and diary: what was submitted, what is waiting, what can still be changed. */
export function MyWorkPage() {
  const { slug = "" } = useParams();
  const user = useUser();
  const desk = useDesk(user.id);
  const stats = useQuery(myStatsQuery(slug));
  const { filters, setFilter, clear, filtered } = useUrlFilters(["search", "result", "hasty"] as const);
  const labels = usePaged<MyLabel>(["my-labels", slug], `/api/projects/${slug}/my_labels`, filters);
  const none = noneFound(filters, stats.data?.floor_ms);
  const [revealing, setRevealing] = useState<MyLabel | null>(null);
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
      <Replies slug={slug} />
      <Panel
        title="Diary"
        note="Open any label to read it. You can revise it until the time shown, unless its round is closed, its task is settled, or a next step was drawn from it. The earlier version is kept."
      >
        <div className={classes.filters}>
          <SearchField
            label="Search in problems"
            value={filters.search}
            onChange={(value) => setFilter("search", value)}
          />
          <NativeSelect
            label="Result"
            value={filters.result}
            onChange={(event) => setFilter("result", event.currentTarget.value)}
            data={RESULTS}
          />
          <Checkbox
            className={classes.only}
            label="Only hasty ones"
            checked={filters.hasty === "true"}
            onChange={(event) => setFilter("hasty", event.currentTarget.checked ? "true" : "")}
          />
        </div>
        <PagedTable
          caption="Your labels, newest first"
          list={labels}
          columns={historyColumns(slug, setRevealing)}
          rowKey={(label) => label.id}
          one="label"
          empty={
            filtered ? (
              <EmptyState inline title={none.title} actions={<Button onClick={clear}>Show all</Button>}>
                {none.why.map((sentence) => (
                  <p key={sentence}>{sentence}</p>
                ))}
              </EmptyState>
            ) : (
              <EmptyState inline title="Nothing labeled yet">
                <p>Your labels are listed here, starting with your first.</p>
              </EmptyState>
            )
          }
        />
      </Panel>
      {stats.isPending && <SkeletonLines lines={4} label="Loading your numbers" />}
      {stats.isError && <ErrorState inline error={stats.error} retry={() => void stats.refetch()} />}
      {stats.data && <MyNumbers stats={stats.data} />}
      <RevealDialog label={revealing} onClose={() => setRevealing(null)} />
    </>
  );
}
