import type {
  CorrectedLabel,
  LabelAudit,
  LabelAuditArm,
  LabelAuditCounts,
  LabelAuditReport,
  LabelAuditSummary,
} from "@/api/labelAuditTypes";
import type { Tone } from "@/ui/charts/ChartFigure";
import type { Interval } from "@/ui/charts/IntervalRows";
import { countOf, formatCount } from "@/ui/format";
import { stepName } from "@/ui/trace/words";

export const TRIAGE_STATUS: Record<LabelAuditSummary["status"], { name: string; tone: "held" | "good" | "quiet" }> = {
  open: { name: "under review", tone: "held" },
  finished: { name: "finished", tone: "good" },
  cancelled: { name: "cancelled", tone: "quiet" },
  undone: { name: "undone", tone: "quiet" },
};

export const ARMS: Record<LabelAuditArm["arm"], { name: string; tone: Tone }> = {
  model: { name: "Unlikely", tone: "focus" },
  control: { name: "Random control", tone: "zero" },
};

export const MOVES: Record<CorrectedLabel["move"], string> = {
  missed: "an error was missed",
  earlier: "the first error is earlier",
  later: "the first error is later",
  invented: "there is no error",
  bad_problem: "the problem is bad",
};
export const MOVE_ORDER = Object.keys(MOVES) as CorrectedLabel["move"][];

/** Return a short name for a verdict: a step counted from 0, −1 for no error, null for a bad problem. */
export function verdictWord(verdict: number | null): string {
  if (verdict === null) return "bad problem";
  return verdict === -1 ? "no error" : stepName(verdict);
}

/** Return what a surprisal in nats means: the chance that the model gave to the least likely rating. */
export function chanceWords(nats: number): string {
  const chance = Math.exp(-nats) * 100;
  if (chance >= 10) return `${Math.round(chance)} %`;
  return chance >= 0.1 ? `${chance.toFixed(1)} %` : "<0.1 %";
}

/** Return one figure of both arms, as rows of a chart. */
export function armRows(report: LabelAuditReport, of: (arm: LabelAuditArm) => LabelAuditArm["corrected"]): Interval[] {
  return report.arms.map((arm) => {
    const { part, n, low, high } = of(arm);
    return { key: arm.arm, ...ARMS[arm.arm], part, whole: n, low, high };
  });
}

type MachineKind = LabelAuditSummary["prm"]["kind"];

/** Return the word for a machine in a sentence. */
export function machineWord(kind: MachineKind): string {
  return kind === "prm" ? "PRM" : "source";
}

/** How each kind of source says how likely a rating is. */
export const SAYS: Record<Exclude<MachineKind, "prm">, string> = {
  rollouts: "rollouts: the share of a step’s rollouts that reach the right answer",
  judge: "a judge: its votes",
  consensus: "a consensus: right or wrong, each as sure as one vote",
  verifier: "checks: only steps with a false equation, each as sure as one vote",
  formal: "a prover: proved or refuted, each as sure as one vote",
  imported: "marks made elsewhere, as they are",
};

/** Return the finding in one sentence, with no more certainty than the interval allows. */
export function findingWords({ difference }: LabelAuditReport, kind: MachineKind = "prm"): string {
  const { value, low, high } = difference;
  if (value === null || low === null || high === null) {
    return "The two arms cannot be compared: one has no reviews.";
  }
  const points = (share: number) => String(Math.round(share * 100)).replace("-", "−");
  const interval = `95 % interval ${points(low)} to ${points(high)} points`;
  if (low > 0)
    return `The ${machineWord(kind)} finds noise: its labels were corrected ${points(value)} points more often (${interval}).`;
  if (high < 0) {
    return `The ${machineWord(kind)} points the wrong way: its labels were corrected ${points(-value)} points less often (${interval}).`;
  }
  return `The two arms cannot be told apart: ${points(value)} points (${interval}).`;
}

/** Return what happened to the corrections of a label audit that is over. */
export function outcomeWords({ status, report }: Pick<LabelAudit, "status" | "report">): string {
  if (report === null || status === "cancelled") return "Nothing was changed. The reviews made until then are shown.";
  const { rulings, withdrawn } = report;
  if (status === "finished") {
    return `${countOf(rulings, "correction")} became the ruling on ${rulings === 1 ? "its task" : "their tasks"}.`;
  }
  const kept = rulings - withdrawn;
  const replaced =
    kept > 0 ? ` ${formatCount(kept)} had already been replaced by a reviewer’s later ruling, which stays.` : "";
  return `${countOf(withdrawn, "ruling")} ${withdrawn === 1 ? "was" : "were"} withdrawn.${replaced} The reviews made until then are shown.`;
}

/** Return what a label audit can choose from, or could when it was made, and why the rest is left out. */
export function countWords(counts: LabelAuditCounts, verb: "can" | "could" = "can"): string {
  const left = [
    counts.unscored > 0 &&
      `${formatCount(counts.unscored)} ${verb === "can" ? "are" : "were"} on traces or steps that it does not judge`,
    counts.learned > 0 && `it learned from the traces of ${formatCount(counts.learned)}`,
    counts.reviewed > 0 &&
      `${formatCount(counts.reviewed)} ${verb === "can" ? "are" : "were"} already in a label audit`,
    counts.same_trace > 0 &&
      `${formatCount(counts.same_trace)} ${verb === "can" ? "are" : "were"} beside another label of the same trace, of which one is chosen`,
  ].filter(Boolean);
  const of = `${formatCount(counts.candidates)} of ${countOf(counts.labels, "label")} ${verb} be chosen`;
  return left.length === 0 ? `${of}.` : `${of}; ${left.join(", ")}.`;
}
