import { useCallback, useMemo, useState } from "react";
import { Link, useParams } from "react-router";
import { queryString } from "@/api/client";
import type { ListedLabel } from "@/api/labelListTypes";
import { AsOf } from "@/ui/AsOf";
import { Button, ButtonLink, DownloadLink } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { Faceted, FilterChips, PickBox } from "@/ui/Faceted";
import { formatCount, formatDateTime } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { SearchField } from "@/ui/SearchField";
import { EmptyState } from "@/ui/states";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import { roundWithin } from "@/ui/trainingWords";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { BulkBar, type Picked } from "./BulkBar";
import { LabelChanges } from "./LabelChanges";
import { LabelFacetList } from "./LabelFacetList";
import classes from "./labels.module.css";
import {
  FILTERS,
  filterWords,
  given,
  headline,
  type LabelFilter,
  type LabelFilters,
  reasonsOf,
  secondsOf,
  verdictOf,
} from "./labelWords";
import { useLabelFacets, useLabels } from "./queries";
import { SavedViews } from "./SavedViews";
import { StripKey, VerdictStrip } from "./VerdictStrip";

const NOTHING = Object.fromEntries(FILTERS.map((name) => [name, ""])) as LabelFilters;

/** Every label of the project: find them, look at them, and correct many at once. */
export function LabelsPage() {
  const { slug = "" } = useParams();
  const { filters, setFilters, clear, filtered } = useUrlFilters(FILTERS);
  const [picked, setPicked] = useState<Picked>(new Set());
  const labels = useLabels(slug, filters);
  const facets = useLabelFacets(slug, filters);
  const narrow = (changes: Partial<LabelFilters>) => {
    setPicked(new Set());
    setFilters(changes);
  };
  const pick = useCallback(
    (id: number, on: boolean) =>
      setPicked((before) => {
        const after = new Set(before === "all" ? [] : before);
        if (on) after.add(id);
        else after.delete(id);
        return after;
      }),
    [],
  );
  const columns = useMemo(() => columnsOf(slug, picked, pick), [slug, picked, pick]);
  if (facets.data?.all === 0 && labels.rows?.length === 0 && !filtered) {
    return (
      <>
        <PageHeading title={headline(facets.data, filters)} />
        <NothingYet slug={slug} />
      </>
    );
  }
  return (
    <>
      <PageHeading
        title={headline(facets.data, filters)}
        actions={
          labels.rows &&
          labels.rows.length > 0 && (
            <DownloadLink href={`/api/projects/${slug}/labels.csv${queryString(given(filters))}`}>
              Download as CSV
            </DownloadLink>
          )
        }
      >
        <AsOf at={facets.data?.as_of} came={facets.dataUpdatedAt} />
      </PageHeading>
      <SavedViews slug={slug} filters={filters} onShow={(view) => narrow({ ...NOTHING, ...view })} />
      <Faceted
        facets={
          <LabelFacetList facets={facets.data} filters={filters} onPick={(name, value) => narrow({ [name]: value })} />
        }
        asked={
          <>
            <SearchField
              label="Search in problems and steps"
              placeholder="words, “a phrase” or an id"
              value={filters.q}
              onChange={(value) => narrow({ q: value })}
            />
            {filters.labeler && <Link to={`/projects/${slug}/labelers/${filters.labeler}`}>Page of this labeler</Link>}
            <FilterChips
              names={(Object.keys(given(filters)) as LabelFilter[]).filter((name) => name !== "q")}
              words={(name) => filterWords(name, filters[name], facets.data)}
              onLift={(name) => narrow({ [name]: "" })}
            />
          </>
        }
      >
        {facets.error && <ErrorNotice error={facets.error} />}
        <BulkBar
          slug={slug}
          filters={filters}
          picked={picked}
          fitting={facets.data?.total ?? 0}
          shown={labels.rows?.length ?? 0}
          onPick={setPicked}
        />
        <PagedTable
          caption="Labels"
          list={labels}
          aligned
          columns={columns}
          rowKey={(label) => label.id}
          one="label"
          empty={filtered ? <NothingFits clear={clear} /> : <NothingYet slug={slug} />}
        />
        {labels.rows && labels.rows.length > 0 && (
          <div className={classes.under}>
            <Button onClick={() => setPicked(new Set(labels.rows?.map((label) => label.id)))}>
              Pick the {formatCount(labels.rows.length)} shown
            </Button>
            <StripKey />
          </div>
        )}
        <LabelChanges slug={slug} />
      </Faceted>
    </>
  );
}

function columnsOf(slug: string, picked: Picked, pick: (id: number, on: boolean) => void): TableColumn<ListedLabel>[] {
  return [
    {
      name: "Pick",
      quiet: true,
      width: "34px",
      cell: (label) => (
        <PickBox
          label={`Pick label ${label.id}`}
          picked={picked === "all" || picked.has(label.id)}
          onPick={(on) => pick(label.id, on)}
        />
      ),
    },
    {
      name: "Step",
      main: true,
      cell: (label) => (
        <>
          <RowLink to={`/projects/${slug}/traces/${label.trace_id}?step=${label.excerpt_step + 1}`}>
            <ProblemExcerpt text={label.excerpt} />
          </RowLink>
          <small className={classes.problem}>
            <ProblemExcerpt text={label.problem_text} />
          </small>
        </>
      ),
    },
    {
      name: "Labeler",
      width: "225px",
      cell: (label) => (
        <span className={classes.who}>
          <Link to={`/projects/${slug}/labelers/${label.labeler.id}`}>{label.labeler.display_name}</Link>
          <small>
            {formatDateTime(label.submitted_at)}, {roundWithin(label.round)}
          </small>
        </span>
      ),
    },
    {
      name: "Verdict",
      width: "130px",
      cell: (label) => (
        <span className={classes.verdict}>
          <VerdictStrip ratings={label.ratings} verdict={label.verdict} />
          {verdictOf(label)}
        </span>
      ),
    },
    {
      name: "s a step",
      align: "right",
      cell: (label) => (
        <span className={classes.pace} data-hasty={label.hasty || undefined}>
          {secondsOf(label.seconds_a_step)}
        </span>
      ),
    },
    { name: "Flags", width: "110px", cell: (label) => <Flags label={label} /> },
  ];
}

function Flags({ label }: { label: ListedLabel }) {
  const states = [
    label.reviewed && "reviewed",
    label.excluded && "left out",
    label.surplus && "surplus",
    label.kind !== "work" && label.kind.replace("_", " "),
    label.labeler.kind === "imported" && "imported",
  ].filter((one): one is string => one !== false);
  const reasons = reasonsOf(label);
  if (reasons.length + states.length + label.tags.length === 0) return null; // so a phone omits the name, too
  return (
    <span className={classes.flags}>
      {reasons.map((reason) => (
        <span key={reason} data-reason={reason}>
          {reason}
        </span>
      ))}
      {[...states, ...label.tags].map((state) => (
        <small key={state}>{state}</small>
      ))}
    </span>
  );
}

function NothingFits({ clear }: { clear: () => void }) {
  return (
    <EmptyState inline title="No labels match these filters" actions={<Button onClick={clear}>Clear filters</Button>}>
      <p>Labels on what you are labeling at the moment are not shown to you.</p>
    </EmptyState>
  );
}

function NothingYet({ slug }: { slug: string }) {
  return (
    <EmptyState inline title="No labels yet" actions={<ButtonLink to={`/projects/${slug}/rounds`}>Rounds</ButtonLink>}>
      <p>
        Once labelers submit, every label is listed here: who made it, how long it took, and what speaks against it.
      </p>
    </EmptyState>
  );
}
