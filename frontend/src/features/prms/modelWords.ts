/** Texts about a project's models and their timeline. Pure. */
import type { Leaderboard, ModelEvent, ModelHistory } from "@/api/trainingTypes";
import { BASELINE_NOT_BEATEN } from "@/ui/baselineWords";
import { decimal } from "@/ui/charts/estimateWords";
import { countOf } from "@/ui/format";
import { roundWithin } from "@/ui/trainingWords";
import { estimateWords } from "./prmWords";

type Row = Leaderboard["rows"][number];

const aucOf = (row: Row | undefined) => row?.figures.find((figure) => figure.name === "auc") ?? null;

/** Return what is added to a figure of a row that does not beat its baseline. */
const mark = (row: Row | undefined) => (row?.beats_baseline === false ? `, ${BASELINE_NOT_BEATEN}` : "");

/** Return the page's first sentence: which model selects, and whether another one measured higher. */
export function modelsHeadline({ selector, leaderboards, events }: ModelHistory): string {
  if (events.length === 0) return "No model yet. Train one on a round’s labels, or connect one.";
  const selects = selector ? `${selector.name} selects` : "No model selects yet";
  const board = leaderboards.find(({ rows }) => rows.some((row) => row.current));
  if (!board) return `${selects}; none has been evaluated.`;
  const rows = board.rows.filter((row) => row.current);
  const [top] = rows;
  const first = aucOf(top);
  if (!top || first?.value == null) return `${selects}; step AUC could not be measured on ${board.set.name}.`;
  if (top.selector)
    return `${selects} and has the highest step AUC on ${board.set.name}: ${estimateWords(first)}${mark(top)}.`;
  const selecting = rows.find((row) => row.selector);
  const own = aucOf(selecting);
  const beside = own?.value == null ? "" : `, against ${decimal(own.value, 3)}${mark(selecting)}`;
  return `${selects}; ${top.prm.name} has the highest step AUC on ${board.set.name}: ${estimateWords(first)}${mark(top)}${beside}. ${selector ? "Compare the two before you promote one." : ""}`.trim();
}

const MADE: Record<string, string> = {
  prm: "was connected",
  imported: "was added with scores made elsewhere",
  rollouts: "was added as a source of rollouts",
  judge: "was added as a judge",
  consensus: "was added as a consensus of sources",
  verifier: "was added as a source of checks",
  formal: "was added with verdicts of a prover",
};

/** Return what happened, without the model's name: "learned from 120 labels". */
export function eventWords({ kind, of, labels, set, auc, status, at_close_of }: ModelEvent): string {
  const going = status === "queued" || status === "running";
  if (kind === "made") return MADE[of] ?? "was made";
  if (kind === "promoted") return "is the selector from here on";
  if (kind === "trained") {
    const from = labels ? ` from ${countOf(labels, "label")}` : "";
    const begun = at_close_of ? `, at the close of ${roundWithin(at_close_of)}` : "";
    if (status === "succeeded") return `learned${from}${begun}`;
    if (status === "queued") return `is waiting for a worker to learn${from}${begun}`;
    return `${going ? `is learning${from}` : `training ${status === "failed" ? "failed" : "was stopped"}`}${begun}`;
  }
  if (status === "succeeded") return `measured on ${set}: step AUC ${estimateWords(auc)}`;
  if (status === "queued") return `is waiting for a worker to be measured on ${set}`;
  return going
    ? `is being measured on ${set}`
    : `evaluation on ${set} ${status === "failed" ? "failed" : "was stopped"}`;
}

/** Return the path to the full account, below the project's address. */
export function eventPath({ kind, id, prm, of }: ModelEvent): string | null {
  if (kind === "trained") return `prms/runs/${id}`;
  if (kind === "evaluated") return `evaluations/${id}`;
  if (of === "prm" || of === "imported") return `prms/${id}`;
  if (kind === "made") return "sources";
  return prm ? `prms/${prm.id}` : null;
}

/** Return why a row of a leaderboard must not be read like the others. */
export function rowWarnings({ current, never_wrong, origin_known }: Row): string[] {
  return [
    !current && "measured on an earlier state of the set",
    never_wrong && "judges no step wrong at its threshold",
    !origin_known && "may have learned from these problems",
  ].filter((one): one is string => one !== false);
}
