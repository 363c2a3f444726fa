import { Checkbox, NativeSelect } from "@mantine/core";
import { useParams } from "react-router";
import type { Agreement } from "@/api/reviewTypes";
import { AsOf } from "@/ui/AsOf";
import { Button, DownloadLink } from "@/ui/Button";
import { Filters } from "@/ui/Form";
import { countOf } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { AgreementCharts } from "./AgreementCharts";
import classes from "./agreement.module.css";
import { decisiveWords, distanceWords } from "./agreementWords";
import { DisputedTraces } from "./DisputedTraces";
import { type AgreementFilters, agreementPath, FILTERS, isPair, useAgreement } from "./queries";
import { TwoLabelers } from "./TwoLabelers";

/** How far the project's labelers agree: ratings and first errors side by side, never one without the other. */
export function AgreementPage() {
  const { slug = "" } = useParams();
  const { filters, setFilter, setFilters, clear, filtered } = useUrlFilters(FILTERS);
  const agreement = useAgreement(slug, filters);
  const found = agreement.data;
  return (
    <>
      <PageHeading
        title="Agreement"
        actions={
          found &&
          found.traces > 0 && <DownloadLink href={agreementPath(slug, filters, ".csv")}>Download as CSV</DownloadLink>
        }
      >
        <AsOf at={found?.as_of} came={agreement.dataUpdatedAt} />
      </PageHeading>
      {agreement.isError && !found && (
        <ErrorState inline error={agreement.error} retry={() => void agreement.refetch()} />
      )}
      {agreement.isPending && <SkeletonLines lines={10} label="Computing the figures" />}
      {found && (
        <>
          <Narrowed found={found} filters={filters} setFilter={setFilter} setFilters={setFilters} />
          {found.traces === 0 ? (
            <Nothing filtered={filtered} clear={clear} />
          ) : (
            <div data-stale={agreement.isPlaceholderData || undefined} className={classes.body}>
              <p className={classes.lede}>
                {countOf(found.traces, "trace")} labeled by two or more, {countOf(found.labels, "label")}.{" "}
                {distanceWords(found.figures)}
                {decisiveWords(found)}
              </p>
              <AgreementCharts
                found={found}
                paired={isPair(filters)}
                pick={(one, other) => setFilters({ one: String(one), other: String(other) })}
              />
              {isPair(filters) && <DisputedTraces slug={slug} filters={filters} found={found} />}
            </div>
          )}
        </>
      )}
    </>
  );
}

interface NarrowedProps {
  found: Agreement;
  filters: AgreementFilters;
  setFilter: (name: keyof AgreementFilters, value: string) => void;
  setFilters: (changes: Partial<AgreementFilters>) => void;
}

function Narrowed({ found, filters, setFilter, setFilters }: NarrowedProps) {
  const select = (
    name: keyof AgreementFilters,
    label: string,
    any: string,
    data: { value: string; label: string }[],
  ) => (
    <NativeSelect
      label={label}
      value={filters[name]}
      data={[{ value: "", label: any }, ...data]}
      onChange={(event) => setFilter(name, event.currentTarget.value)}
    />
  );
  const named = (names: string[]) => names.map((name) => ({ value: name, label: name }));
  const people = found.labelers;
  const rounds = found.rounds.map(({ id, number, name }) => ({ value: String(id), label: name || `round ${number}` }));
  return (
    <>
      <Filters>
        {select("round", "Round", "all rounds", rounds)}
        {found.subjects.length > 0 && select("subject", "Subject", "any", named(found.subjects))}
        {found.levels.length > 0 && select("level", "Level", "any", named(found.levels))}
        {people.length > 0 && <TwoLabelers labelers={found.labelers} filters={filters} setFilters={setFilters} />}
      </Filters>
      {filters.one !== "" && !isPair(filters) && (
        <p role="status" className={classes.half}>
          Choose a second labeler to compare with. Until then, the figures cover everyone.
        </p>
      )}
      <Checkbox
        className={classes.base ?? ""}
        label="Only the first labels of each task"
        description="If labels differed, more people were asked. Those traces have more pairs, so agreement looks lower."
        checked={filters.base === "true"}
        onChange={(event) => setFilter("base", event.currentTarget.checked ? "true" : "")}
      />
    </>
  );
}

function Nothing({ filtered, clear }: { filtered: boolean; clear: () => void }) {
  if (filtered) {
    return (
      <EmptyState inline title="No trace here has two labels" actions={<Button onClick={clear}>Clear filters</Button>}>
        <p>Agreement needs traces that two people labeled. Widen the filters.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState inline title="No trace has two labels yet">
      <p>
        Agreement needs traces that two people labeled. Open a round with two or more labels per task, or set that in
        the project’s settings.
      </p>
    </EmptyState>
  );
}
