import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Round } from "@/api/projectTypes";
import type { MachineReport as Report } from "@/api/sourceTypes";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { EstimateRows } from "@/ui/charts/EstimateRows";
import { withInterval } from "@/ui/charts/estimateWords";
import { countOf } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";

const NAMES: Record<string, string> = {
  changed: "changed their label after it",
  changed_where_it_differed: "… where the machine said something else",
  changed_to_the_machine: "… to what the machine said",
  right_before: "right before they saw it",
  right_after: "right in the end",
  right_given_up: "right labels given up",
};
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** What it did that labelers of a round saw a machine's marks after their own label. */
export function MachineReport({ round }: { round: Round }) {
  const report = useQuery({
    queryKey: ["round", round.id, "machine"],
    queryFn: ({ signal }) => api.get<Report>(`/api/rounds/${round.id}/machine`, { signal }),
  });
  if (report.isPending) return <SkeletonLines lines={5} />;
  if (report.isError) return <ErrorState inline error={report.error} retry={() => void report.refetch()} />;
  const { source, seen, labels, figures } = report.data;
  const name = (one: Report["figures"][number]) => NAMES[one.name] ?? one.name.replaceAll("_", " ");
  const words = (one: Report["figures"][number]) =>
    one.value === null ? `n/a: ${one.why}` : `${withInterval(one, percent)}; n ${one.n}`;
  return (
    <Panel
      title={`What the marks of ${source.name} did`}
      note={`Labelers saw them after ${countOf(seen, "label")} of ${countOf(labels, "label")}. Intervals are 95 %, over problems.`}
    >
      <ChartFigure
        title="Labels after the machine was seen"
        table={{ head: ["Figure", "Value"], rows: figures.map((one) => [name(one), words(one)]) }}
      >
        <EstimateRows
          rows={figures.map((one) => ({ ...one, key: one.name, name: name(one), words: words(one), tone: "plus" }))}
        />
      </ChartFigure>
    </Panel>
  );
}
