import type { ReactNode } from "react";
import type { Round } from "@/api/projectTypes";
import { ShareBar } from "@/ui/charts/ShareBar";
import { formatCount, formatDateTime } from "@/ui/format";
import { overlapWords } from "@/ui/OverlapFields";
import { Facts, Panel } from "@/ui/Panel";
import { progressWords, roundShares } from "@/ui/roundProgress";
import { choiceWords, shownWords } from "./choiceWords";
import { mixWords } from "./mixForm";
import { hasControl, rulesFormOf } from "./rulesForm";

/** How many of its labels a round has. */
export function LabelingProgress({ round }: { round: Round }) {
  return (
    <Panel title="Progress" note={progressWords(round)}>
      <ShareBar shares={roundShares(round)} />
    </Panel>
  );
}

/** The settings of a round, as frozen when it was made. */
export function RoundFacts({ round }: { round: Round }) {
  const { counts } = round;
  const facts: [string, ReactNode][] = [
    ["Number", String(round.number)],
    ...(round.config.source === "problems"
      ? pathFacts(round)
      : [["Traces", choiceWords(round)] as [string, ReactNode]]),
    ...(round.staged ? stagedFacts(round) : []),
    ...(round.machine ? [["Machine’s marks", shownWords(round.machine)] as [string, ReactNode]] : []),
    ["Tasks", formatCount(counts.tasks)],
    ["Labels per task", overlapWords(round.overlap, round.overlap_most, round.overlap_needed)],
    ["Priority", String(round.priority)],
    ["Seed", String(round.seed)],
    ["Made by", round.created_by?.display_name ?? "the machine"],
    ...(round.staged ? [["Started", formatDateTime(round.created_at)] as [string, ReactNode]] : []),
    [round.staged ? "Published" : "Opened", round.opened_at ? formatDateTime(round.opened_at) : "not yet"],
    ["Closed", round.closed_at ? formatDateTime(round.closed_at) : "no"],
    ["Surplus labels", formatCount(counts.surplus)],
  ];
  return (
    <Panel title="How it was made">
      <Facts facts={facts} />
    </Panel>
  );
}

function pathFacts({ config }: Round): [string, ReactNode][] {
  const { completions, step_cap, neutral_may_be_chosen: neutral, generator } = config;
  return [
    ["Protocol", "choosing the path step by step"],
    ["Problems", config.sample_size ? `a sample of ${formatCount(config.sample_size)}` : "all that fit"],
    [
      "Completions",
      generator ? `up to ${completions} a step by ${generator.model}` : `up to ${completions} a step, recorded`,
    ],
    ["Where none is great", neutral ? "a 0 may be chosen, or the labeler writes" : "the labeler writes the step"],
    ["Steps of a path", `${step_cap} at most`],
    ...(config.paths_most
      ? [["Paths of a problem", pathsWords(config.paths ?? 1, config)] as [string, ReactNode]]
      : []),
  ];
}

function pathsWords(base: number, { paths_most: most, paths_needed: needed }: Round["config"]): string {
  return `${base}, up to ${most} until ${needed} come to one answer`;
}

function stagedFacts(round: Round): [string, ReactNode][] {
  const { generate, ...rules } = round.config;
  const percent = (share: number | undefined) => `${Number(((share ?? 0) * 100).toFixed(2))} %`;
  const quota = `${formatCount(rules.k ?? 0)} ${rules.mode === "global" ? "over all problems" : "of each problem"}`;
  return [
    ["PRM", round.prm?.name ?? "none: chosen at random"],
    [
      "New traces",
      generate ? `${generate.n} a problem by ${generate.model}, temperature ${generate.temperature}` : "none",
    ],
    ["Quota", round.prm ? `${quota}, ${percent(rules.ratio)} for wrong answers` : quota],
    ...(mixWords(rules.mix) ? [["Other ways", mixWords(rules.mix)] as [string, ReactNode]] : []),
    ...(hasControl(rulesFormOf(rules), !round.prm)
      ? [["Random control", percent(rules.control_share)] as [string, ReactNode]]
      : []),
    ["Limits", limits(rules)],
  ];
}

function limits({ per_problem_cap, budget }: Round["config"]): string {
  const parts = [per_problem_cap && `${per_problem_cap} of a problem`, budget && `${formatCount(budget)} in all`];
  return parts.filter(Boolean).join(", ") || "none";
}
