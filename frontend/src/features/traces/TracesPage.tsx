import { NativeSelect, NumberInput } from "@mantine/core";
import { useCallback, useMemo, useState } from "react";
import { Link, useParams } from "react-router";
import { queryString } from "@/api/client";
import type { ListedTrace, TraceFacets } from "@/api/projectTypes";
import { StartLink } from "@/ui/ActiveProject";
import { AsOf } from "@/ui/AsOf";
import { Button, ButtonLink, DownloadLink } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { Faceted, FacetList, FilterChips, PickBox } from "@/ui/Faceted";
import { formatCount } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { SearchField } from "@/ui/SearchField";
import { EmptyState } from "@/ui/states";
import { OutcomeMark, ProblemExcerpt } from "@/ui/trace/TraceText";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { PickedTraces } from "./PickedTraces";
import { useTraceFacets, useTraces } from "./queries";
import classes from "./traces.module.css";
import {
  FILTERS,
  facetGroups,
  filterSays,
  given,
  headline,
  inOrder,
  type NoneWords,
  noneWords,
  noRoundWords,
  ordersOf,
  orderWords,
  roundOfFitting,
  saidOf,
  type TraceFilterName,
  type TraceFilters,
  unsearchedWords,
} from "./traceWords";

/** Every trace of the project, found by words and facets, and what you can do with many at once. */
export function TracesPage() {
  const { slug = "" } = useParams();
  const { filters, setFilters, clear } = useUrlFilters([...FILTERS, "order"] as const);
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set());
  const facets = useTraceFacets(slug, filters);
  const traces = useTraces(slug, filters, facets.data?.unsearched ?? 0);
  const narrow = (changes: Partial<TraceFilters>) => {
    setPicked(new Set());
    setFilters(inOrder(filters, changes));
  };
  const pick = useCallback(
    (id: number, on: boolean) =>
      setPicked((before) => {
        const after = new Set(before);
        if (on) after.add(id);
        else after.delete(id);
        return after;
      }),
    [],
  );
  const scorer = facets.data?.scorer ?? null;
  const columns = useMemo(() => columnsOf(picked, pick, scorer), [picked, pick, scorer]);
  const round = roundOfFitting(filters, scorer?.id);
  const unsearched = unsearchedWords(facets.data);
  const order = orderWords(filters, scorer);
  const none = facets.data?.total === 0 && traces.rows?.length === 0 && given(filters).length === 0 && !filters.order;
  const noRound = noRoundWords(filters, facets.data);
  return (
    <>
      <PageHeading
        title={headline(facets.data, filters)}
        actions={
          <>
            {round && (facets.data?.total ?? 0) > 0 && (
              <StartLink to={`/projects/${slug}/${round}`}>Make a round of these</StartLink>
            )}
            {traces.rows && traces.rows.length > 0 && (
              <DownloadLink href={`/api/projects/${slug}/traces.csv${queryString(filters)}`}>
                Download as CSV
              </DownloadLink>
            )}
            <ButtonLink to={`/projects/${slug}/gradings`}>Grade</ButtonLink>
            <StartLink to={`/projects/${slug}/imports`}>Import</StartLink>
          </>
        }
      >
        <AsOf at={facets.data?.as_of} came={facets.dataUpdatedAt} />
      </PageHeading>
      {none ? (
        <NothingYet slug={slug} />
      ) : (
        <Faceted
          facets={
            <>
              <FacetList
                groups={facets.data && facetGroups(facets.data, filters)}
                filters={filters}
                onPick={(name, value) => narrow({ [name]: value })}
              />
              <Ranges filters={filters} narrow={narrow} scorer={scorer} />
            </>
          }
          asked={<Asked filters={filters} narrow={narrow} scorer={scorer} />}
        >
          {facets.error && <ErrorNotice error={facets.error} />}
          {unsearched && <p className={classes.unsearched}>{unsearched}</p>}
          {order && <p className={classes.unsearched}>{order}</p>}
          {noRound && <p className={classes.unsearched}>{noRound}</p>}
          <PickedTraces slug={slug} picked={picked} onPick={setPicked} />
          <PagedTable
            caption="Traces"
            list={traces}
            columns={columns}
            rowKey={(trace) => trace.id}
            one="trace"
            empty={
              given(filters).length > 0 || filters.order ? (
                <NothingFits
                  why={noneWords(filters, facets.data)}
                  clear={clear}
                  reorder={() => narrow({ order: "" })}
                />
              ) : (
                <NothingYet slug={slug} />
              )
            }
          />
          {traces.rows && traces.rows.length > 0 && (
            <p className={classes.pickAll}>
              <Button onClick={() => setPicked(new Set(traces.rows?.map((trace) => trace.id)))}>
                Pick the {formatCount(traces.rows.length)} shown
              </Button>
            </p>
          )}
        </Faceted>
      )}
    </>
  );
}

interface AskedProps {
  filters: TraceFilters;
  narrow: (changes: Partial<TraceFilters>) => void;
}

function Asked({ filters, narrow, scorer }: AskedProps & { scorer: Scorer }) {
  return (
    <>
      <SearchField
        label="Search in problems and steps"
        placeholder="words, “a phrase” or an id"
        title="Searches steps and problems. Put - before a word to leave out traces that contain it."
        value={filters.q}
        onChange={(q) => narrow({ q })}
      />
      <NativeSelect
        label="Order"
        data={ordersOf(scorer, filters.order)}
        value={filters.order}
        onChange={(event) => narrow({ order: event.currentTarget.value })}
      />
      <FilterChips
        names={given(filters).filter((name) => name !== "q")}
        words={(name: TraceFilterName) => filterSays(name, filters[name])}
        onLift={(name) => narrow({ [name]: "" })}
      />
    </>
  );
}

type Scorer = TraceFacets["scorer"];

/** Filters with a minimum and a maximum. Steps are counted from 1 here, and from 0 in the address. */
function Ranges({ filters, narrow, scorer }: AskedProps & { scorer: Scorer }) {
  const steps = (name: "steps_min" | "steps_max" | "error_min" | "error_max", label: string, first = 0) => (
    <NumberInput
      label={label}
      placeholder="any"
      min={1}
      allowDecimal={false}
      value={filters[name] === "" ? "" : Number(filters[name]) + first}
      onChange={(value) => narrow({ [name]: value === "" ? "" : String(Number(value) - first) })}
    />
  );
  const score = (name: "score_min" | "score_max", label: string) => (
    <NumberInput
      label={label}
      placeholder="any"
      {...(scorer?.scale === "probability" ? { min: 0, max: 1, step: 0.05 } : { step: 0.5 })}
      value={filters[name] === "" ? "" : Number(filters[name])}
      onChange={(value) => narrow({ [name]: value === "" || value === "-" ? "" : String(value) })}
    />
  );
  return (
    <div className={classes.ranges}>
      <div>
        {steps("steps_min", "Steps, at least")}
        {steps("steps_max", "Steps, at most")}
      </div>
      <div>
        {steps("error_min", "First error from step", 1)}
        {steps("error_max", "to step", 1)}
      </div>
      {scorer && (
        <div>
          {score("score_min", "Score, at least")}
          {score("score_max", "Score, at most")}
          <p>The trace’s score by {scorer.name}, the project’s selector.</p>
        </div>
      )}
    </div>
  );
}

function columnsOf(
  picked: ReadonlySet<number>,
  pick: (id: number, on: boolean) => void,
  scorer: Scorer,
): TableColumn<ListedTrace>[] {
  return [
    {
      name: "Pick",
      quiet: true,
      width: "34px",
      cell: (trace) => (
        <PickBox label={`Pick trace ${trace.id}`} picked={picked.has(trace.id)} onPick={(on) => pick(trace.id, on)} />
      ),
    },
    {
      name: "Problem",
      main: true,
      cell: (trace) => (
        <RowLink to={String(trace.id)}>
          <ProblemExcerpt text={trace.problem.text} />
        </RowLink>
      ),
    },
    {
      name: "From",
      cell: (trace) => (
        <span className={classes.from}>
          {trace.generator || "unknown generator"}{" "}
          <Link className={classes.tree} to={`problems/${trace.problem.id}?trace=${trace.id}`}>
            Tree<span className="visually-hidden"> of the problem of trace {trace.id}</span>
          </Link>
          <small>
            {[trace.problem.subject, trace.problem.level && `level ${trace.problem.level}`].filter(Boolean).join(", ")}
          </small>
        </span>
      ),
      width: "180px",
    },
    {
      name: "Outcome",
      cell: (trace) => (
        <span className={classes.from}>
          <OutcomeMark outcome={trace.outcome} />
          {saidOf(trace, scorer?.scale ?? "").map((said) => (
            <small key={said}>{said}</small>
          ))}
        </span>
      ),
      width: "150px",
    },
    { name: "Steps", align: "right", cell: (trace) => formatCount(trace.step_count) },
    { name: "Tasks", align: "right", cell: (trace) => formatCount(trace.tasks) },
    { name: "Labels", align: "right", cell: (trace) => formatCount(trace.labels) },
  ];
}

interface NothingFitsProps {
  why: NoneWords;
  clear: () => void;
  reorder: () => void;
}

function NothingFits({ why: { title, says, byOrder }, clear, reorder }: NothingFitsProps) {
  return (
    <EmptyState
      inline
      title={title}
      actions={
        byOrder ? <Button onClick={reorder}>Oldest first</Button> : <Button onClick={clear}>Clear filters</Button>
      }
    >
      {says && <p>{says}</p>}
    </EmptyState>
  );
}

function NothingYet({ slug }: { slug: string }) {
  return (
    <EmptyState
      inline
      title="No traces yet"
      actions={
        <StartLink kind="primary" to={`/projects/${slug}/imports`}>
          Import traces
        </StartLink>
      }
    >
      <p>Import a file of problems with model-written solutions, split into steps.</p>
    </EmptyState>
  );
}
