import type { EvaluationSummary } from "@/api/trainingTypes";

export interface LabelsUsed {
  set: string;
  /** PRMs trained here by the number of labels they learned from, the fewest first. */
  trained: EvaluationSummary[];
  /** PRMs whose labels are unknown: reference levels for the others. */
  elsewhere: EvaluationSummary[];
}

/**
 * Return what the chart of labels used shows: the newest evaluation of each PRM on the set that most of them share.
 * `rows` are newest first. Null if there is nothing to compare, or nothing was trained here.
 */
export function labelsUsed(rows: EvaluationSummary[]): LabelsUsed | null {
  const measured = rows.filter((one) => one.status === "succeeded" && one.auc?.value != null);
  const sets = [...new Set(measured.map((one) => one.evaluation_set.id))].map((set) => {
    const shared = measured.filter((one) => one.evaluation_set.id === set);
    const newest = shared.filter((one) => shared.find((same) => same.prm.id === one.prm.id) === one);
    return {
      set: shared[0]?.evaluation_set.name ?? "",
      trained: newest
        .filter((found) => found.labels_used)
        .toSorted((left, right) => (left.labels_used ?? 0) - (right.labels_used ?? 0)),
      elsewhere: newest.filter((found) => !found.labels_used),
    };
  });
  const shown = sets.filter(({ trained, elsewhere }) => trained.length > 0 && trained.length + elsewhere.length > 1);
  return shown.toSorted((left, right) => right.trained.length - left.trained.length)[0] ?? null;
}
