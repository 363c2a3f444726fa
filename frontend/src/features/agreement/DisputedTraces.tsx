import type { Agreement, DisputedTrace } from "@/api/reviewTypes";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { countOf } from "@/ui/format";
import { RowLink } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { ErrorState } from "@/ui/states";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import { saidWords } from "@/ui/trace/words";
import { type AgreementFilters, useDisputed } from "./queries";

interface DisputedTracesProps {
  slug: string;
  filters: AgreementFilters;
  found: Agreement;
}

/** The traces on which the two chosen labelers differ, each with both first errors, the furthest apart first. */
export function DisputedTraces({ slug, filters, found }: DisputedTracesProps) {
  const disputed = useDisputed(slug, filters);
  const name = (id: string) => found.labelers.find((one) => String(one.id) === id)?.display_name ?? "?";
  const columns: TableColumn<DisputedTrace>[] = [
    {
      name: "Problem",
      main: true,
      cell: (trace) => (
        <RowLink to={`/projects/${slug}/traces/${trace.trace_id}`}>
          <ProblemExcerpt text={trace.problem} />
        </RowLink>
      ),
    },
    { name: name(filters.one), width: "210px", cell: (trace) => saidWords(trace.one_verdict, trace.one_reason) },
    { name: name(filters.other), width: "210px", cell: (trace) => saidWords(trace.other_verdict, trace.other_reason) },
  ];
  const { data } = disputed;
  if (disputed.isError && !data)
    return <ErrorState inline error={disputed.error} retry={() => void disputed.refetch()} />;
  return (
    <Panel bare title="Where the two differ" note={data ? noteOf(data.count, data.results.length) : "Looking…"}>
      {data?.count !== 0 && (
        <DataTable
          caption="Traces that the two label differently"
          columns={columns}
          rows={data?.results}
          rowKey={(trace) => trace.trace_id}
          stale={disputed.isPlaceholderData}
        />
      )}
    </Panel>
  );
}

function noteOf(count: number, shown: number): string {
  if (count === 0) return "They say the same about every trace that both labeled.";
  const all = `${countOf(count, "trace")}, farthest apart first`;
  return shown < count ? `${all}. The first ${shown} are listed.` : all;
}
