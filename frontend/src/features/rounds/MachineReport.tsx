import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Round } from "@/api/projectTypes";
import type { MachineReport as Report } from "@/api/sourceTypes";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { EstimateRows } from "@/ui/charts/EstimateRows";
import { decimal, signed, withInterval } from "@/ui/charts/estimateWords";
import { countOf } from "@/ui/format";
import { Facts, Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./rounds.module.css";

const NAMES: Record<string, string> = {
  changed: "changed their label after it",
  changed_where_it_differed: "… where the machine said something else",
  changed_to_the_machine: "… to what the machine said",
  right_before: "right before they saw it",
  right_after: "right in the end",
  right_given_up: "right labels given up",
  seconds_beside: "Active seconds a label, beside marks",
  seconds_blind: "Active seconds a label, blind",
  seconds_saved: "Seconds saved a label",
  agreed_with_the_machine_beside: "said what the machine said, beside marks",
  agreed_with_the_machine_blind: "… blind",
  agreed_with_the_machine_difference: "… more beside marks",
  right_beside: "right, beside marks",
  right_blind: "… blind",
  right_difference: "… more beside marks",
  followed_wrong_marks_beside: "said what a wrong mark said, beside marks",
  followed_wrong_marks_blind: "… blind, by themselves",
  followed_wrong_marks_difference: "… more beside marks: anchoring",
};
type Figure = Report["figures"][number];

const percent = (share: number) => `${(100 * share).toFixed(1)}\u00a0%`;
const points = (share: number) => `${signed(100 * share, 1)} points`;

function wordsOf(one: Figure): string {
  if (one.value === null) return `n/a: ${one.why}`;
  const format = one.name.startsWith("seconds")
    ? (value: number) => `${decimal(value, 1)}\u00a0s`
    : one.name.endsWith("_difference")
      ? points
      : percent;
  return `${withInterval(one, format)}; n ${one.n}`;
}

/** What effect it had that labelers of a round saw a machine's marks. */
export function MachineReport({ round }: { round: Round }) {
  const report = useQuery({
    queryKey: ["round", round.id, "machine"],
    queryFn: ({ signal }) => api.get<Report>(`/api/rounds/${round.id}/machine`, { signal }),
  });
  if (report.isPending) return <SkeletonLines lines={5} />;
  if (report.isError) return <ErrorState inline error={report.error} retry={() => void report.refetch()} />;
  const { source, seen, labels, blind, when, figures } = report.data;
  const name = (one: Figure) => NAMES[one.name] ?? one.name.replaceAll("_", " ");
  const drawn = figures.filter((one) => !one.name.startsWith("seconds"));
  const seconds = figures.filter((one) => one.name.startsWith("seconds"));
  return (
    <Panel
      title={`Effect of the marks by ${source.name}`}
      note={
        when === "after"
          ? `Labelers saw them after ${countOf(seen, "label")} of ${countOf(labels, "label")}. Intervals are 95 %, over problems.`
          : `An experiment: ${countOf(labels - blind, "label")} beside marks (seen in ${seen}), ${countOf(blind, "label")} blind, assigned at random. Intervals are 95 %, over problems.`
      }
    >
      {seconds.length > 0 && (
        <div className={classes.seconds}>
          <Facts facts={seconds.map((one) => [name(one), wordsOf(one)])} />
        </div>
      )}
      <ChartFigure
        title={when === "after" ? "Labels after the machine was seen" : "Labels beside marks and blind ones"}
        table={{ head: ["Figure", "Value"], rows: drawn.map((one) => [name(one), wordsOf(one)]) }}
      >
        <EstimateRows
          rows={drawn.map((one) => ({ ...one, key: one.name, name: name(one), words: wordsOf(one), tone: "plus" }))}
        />
      </ChartFigure>
    </Panel>
  );
}
