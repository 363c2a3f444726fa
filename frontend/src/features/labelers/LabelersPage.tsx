import { NativeSelect } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { api } from "@/api/client";
import type { Labelers } from "@/api/deskTypes";
import { AsOf } from "@/ui/AsOf";
import { Button, DownloadLink } from "@/ui/Button";
import { Filters } from "@/ui/Form";
import { PageHeading } from "@/ui/PageShell";
import { PeriodFields } from "@/ui/PeriodFields";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { LabelersCharts } from "./LabelersCharts";
import { LabelersTable } from "./LabelersTable";
import classes from "./labelers.module.css";
import { FILTERS, labelersAsked, labelersPath, narrowedWords } from "./sideBySide";

/** Labelers side by side: how much, how fast, and how they agree, in a round or a period. Deactivated ones stay. */
export function LabelersPage() {
  const { slug = "" } = useParams();
  const { filters, setFilters, clear, filtered } = useUrlFilters(FILTERS);
  const asked = labelersAsked(filters);
  const labelers = useQuery({
    queryKey: ["labelers", slug, "list", asked],
    queryFn: ({ signal }) => api.get<Labelers>(labelersPath(slug, asked), { signal }),
    placeholderData: keepPreviousData,
  });
  const found = labelers.data;
  const some = found !== undefined && found.results.length > 0;
  return (
    <>
      <PageHeading
        title="Labelers"
        actions={some && <DownloadLink href={labelersPath(slug, asked, ".csv")}>Download as CSV</DownloadLink>}
      >
        <AsOf at={found?.as_of} came={labelers.dataUpdatedAt} />
      </PageHeading>
      {(some || filtered) && (
        <Filters>
          <NativeSelect
            label="Round"
            value={filters.round}
            data={[{ value: "", label: "all rounds" }, ...roundChoices(found)]}
            onChange={(event) => setFilters({ round: event.currentTarget.value })}
          />
          <PeriodFields name="Submitted on" since={filters.since} until={filters.until} onChange={setFilters} />
        </Filters>
      )}
      {labelers.isPending && <SkeletonLines lines={10} />}
      {labelers.isError && <ErrorState inline error={labelers.error} retry={() => void labelers.refetch()} />}
      {found && !labelers.isError && (
        <div className={classes.body} data-stale={labelers.isPlaceholderData || undefined}>
          {some ? (
            <>
              <LabelersTable slug={slug} found={found} asked={asked} />
              <LabelersCharts found={found} />
            </>
          ) : (
            <Nobody narrowed={narrowedWords(filters, found.rounds)} clear={clear} />
          )}
        </div>
      )}
    </>
  );
}

function roundChoices(found: Labelers | undefined) {
  return (found?.rounds ?? []).map(({ id, number, name }) => ({
    value: String(id),
    label: `${number} ${name}`.trim(),
  }));
}

function Nobody({ narrowed, clear }: { narrowed: string; clear: () => void }) {
  if (narrowed) {
    return (
      <EmptyState inline title="No labels match" actions={<Button onClick={clear}>Clear filters</Button>}>
        <p>
          There are no labels {narrowed}. Only ordinary work done here is counted, not gold, screening or imported
          labels.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState inline title="Nobody has labeled yet">
      <p>Once there are labels, this page compares labelers: how much they label, how fast, and how well they agree.</p>
    </EmptyState>
  );
}
