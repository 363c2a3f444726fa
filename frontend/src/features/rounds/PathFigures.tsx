import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "@/api/client";
import type { PathReport } from "@/api/pathTypes";
import type { Round } from "@/api/projectTypes";
import { withInterval } from "@/ui/charts/estimateWords";
import { countOf, formatCount } from "@/ui/format";
import { Facts, Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { FINISH_WORDS } from "@/ui/trace/words";

/** Where the steps of a round's paths come from, and how far labelers agree. */
export function PathFigures({ round }: { round: Round }) {
  const report = useQuery({
    queryKey: ["pathReport", round.id, round.counts.submitted],
    queryFn: ({ signal }) => api.get<PathReport>(`/api/rounds/${round.id}/paths`, { signal }),
  });
  return (
    <Panel title="Paths" note="Over submitted labels, without gold.">
      {report.isPending && <SkeletonLines lines={5} label="Loading the figures of paths" />}
      {report.isError && <ErrorState inline error={report.error} retry={() => void report.refetch()} />}
      {report.data && report.data.labels + report.data.gold.paths === 0 && (
        <EmptyState inline title="No path is finished yet">
          <p>The history of each step appears here once the first path is finished.</p>
        </EmptyState>
      )}
      {report.data && report.data.labels + report.data.gold.paths > 0 && (
        <Facts facts={factsOf(report.data, round.config.paths_most ?? 0)} />
      )}
    </Panel>
  );
}

function factsOf(report: PathReport, asksUpTo: number): [string, ReactNode][] {
  const { gold, answers } = report;
  const ends = Object.entries(report.finish_reasons).map(
    ([reason, count]) => `${formatCount(count)} ${FINISH_WORDS[reason as keyof typeof FINISH_WORDS] ?? reason}`,
  );
  return [
    ["Paths", `${formatCount(report.labels)}: ${ends.join(", ")}`],
    ["Answers", outcomeWords(report.outcomes)],
    ["Steps", formatCount(report.steps)],
    ["First completion taken", formatCount(report.offered_alone)],
    ["Drawn of several great ones", formatCount(report.drawn_of_several)],
    ["Written by labelers", formatCount(report.written)],
    ["Taken back", formatCount(report.taken_back)],
    ["Completions rated", ratedWords(report)],
    ["Agreement about completions (α)", withInterval(report.alpha, (value) => value.toFixed(2), "problem")],
    ...(asksUpTo > 0
      ? [
          ["Answers of a problem", answerWords(answers.agreed, answers.asking, answers.no_consensus)] as [
            string,
            string,
          ],
        ]
      : []),
    ...(gold.paths > 0 ? [["Gold", goldWords(gold)] as [string, string]] : []),
  ];
}

function ratedWords({ completions_rated, ratings }: PathReport): string {
  const of = (rating: keyof PathReport["ratings"], sign: string) => `${formatCount(ratings[rating])} rated ${sign}`;
  return `${formatCount(completions_rated)}: ${of(1, "+1")}, ${of(0, "0")}, ${of("-1", "−1")}`;
}

function outcomeWords({ correct, wrong, ungraded }: PathReport["outcomes"]): string {
  if (correct + wrong + ungraded === 0) return "n/a (no path has reached an answer)";
  return `${formatCount(correct)} right, ${formatCount(wrong)} wrong, ${formatCount(ungraded)} not graded`;
}

function answerWords(agreed: number, asking: number, open: number): string {
  return `${formatCount(agreed)} agreed, ${formatCount(asking)} still open, ${formatCount(open)} for a reviewer`;
}

/** Gold cannot judge a path that left the gold path before the step that counts. */
function goldWords({ paths, told, passed }: PathReport["gold"]): string {
  const rest = `${countOf(paths - told, "path")} left the gold path before the step that counts`;
  if (told === 0) return rest;
  const share = `${withInterval(passed, (value) => `${Math.round(100 * value)} %`, "gold trace")} passed`;
  return paths > told ? `${share}; ${rest}` : share;
}
