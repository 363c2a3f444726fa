import { NativeSelect } from "@mantine/core";
import { useParams } from "react-router";
import type { TraceSummary } from "@/api/projectTypes";
import { Button, ButtonLink } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { Filters } from "@/ui/Form";
import { formatCount } from "@/ui/format";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { SearchField } from "@/ui/SearchField";
import { EmptyState } from "@/ui/states";
import { OutcomeMark, ProblemExcerpt } from "@/ui/trace/TraceText";
import { OUTCOME_WORDS } from "@/ui/trace/words";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { useTraces } from "./queries";
import classes from "./traces.module.css";

const columns: TableColumn<TraceSummary>[] = [
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
        {trace.generator || "unknown generator"}
        <small>
          {[trace.problem.subject, trace.problem.level && `level ${trace.problem.level}`].filter(Boolean).join(", ")}
        </small>
      </span>
    ),
    width: "170px",
  },
  { name: "Outcome", cell: (trace) => <OutcomeMark outcome={trace.outcome} />, width: "130px" },
  { name: "Steps", align: "right", cell: (trace) => formatCount(trace.step_count) },
  { name: "Tasks", align: "right", cell: (trace) => formatCount(trace.tasks) },
  { name: "Labels", align: "right", cell: (trace) => formatCount(trace.labels) },
];

export function TracesPage() {
  const { slug = "" } = useParams();
  const { filters, setFilter, clear, filtered } = useUrlFilters(["q", "outcome", "generator", "source"] as const);
  const traces = useTraces(slug, filters);
  return (
    <>
      <PageHeading
        title="Traces"
        actions={
          <>
            <ButtonLink to={`/projects/${slug}/gradings`}>Grade</ButtonLink>
            <ButtonLink to={`/projects/${slug}/imports`}>Import</ButtonLink>
          </>
        }
      />
      <Filters>
        <SearchField
          label="Problem"
          placeholder="words of the problem, or its id"
          value={filters.q}
          onChange={(value) => setFilter("q", value)}
        />
        <NativeSelect
          label="Outcome"
          value={filters.outcome}
          data={[
            { value: "", label: "any" },
            ...Object.entries(OUTCOME_WORDS).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(event) => setFilter("outcome", event.currentTarget.value)}
        />
        <SearchField
          label="Generator"
          placeholder="exact name"
          value={filters.generator}
          onChange={(value) => setFilter("generator", value)}
        />
        <SearchField
          label="Source"
          placeholder="exact name"
          value={filters.source}
          onChange={(value) => setFilter("source", value)}
        />
      </Filters>
      <PagedTable
        caption="Traces"
        list={traces}
        columns={columns}
        rowKey={(trace) => trace.id}
        one="trace"
        empty={
          filtered ? (
            <EmptyState
              inline
              title="No trace fits these filters"
              actions={<Button onClick={clear}>Clear filters</Button>}
            />
          ) : (
            <EmptyState
              inline
              title="No traces yet"
              actions={
                <ButtonLink kind="primary" to={`/projects/${slug}/imports`}>
                  Import traces
                </ButtonLink>
              }
            >
              <p>Traces come from files: problems with model-written solutions, split into steps.</p>
            </EmptyState>
          )
        }
      />
    </>
  );
}
