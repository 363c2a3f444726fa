interface FigureWords {
  name: string;
  means: string;
}

/** The figures in the order they are shown. */
export const FIGURES: Record<string, FigureWords> = {
  auc: { name: "Step AUC", means: "a right step scores above a wrong one" },
  auc_given_position: { name: "Step AUC, given position", means: "the same, among steps at the same position" },
  average_precision: {
    name: "Average precision",
    means: "of wrong steps, over all thresholds; chance gives their share of the steps",
  },
  accuracy: { name: "Accuracy", means: "of steps judged right or wrong" },
  f1_negative: { name: "F1 of wrong steps", means: "found without false alarms" },
  macro_f1: { name: "Macro F1", means: "the mean over right and wrong steps" },
  first_error_accuracy: { name: "First error found", means: "traces with exactly the human verdict" },
  processbench_f1: { name: "ProcessBench F1", means: "of the two accuracies below" },
  accuracy_on_erroneous: { name: "Accuracy, wrong traces", means: "the first error found exactly" },
  accuracy_on_error_free: { name: "Accuracy, right traces", means: "no error seen where there is none" },
  lucky_caught_share: { name: "Lucky answers caught", means: "right answer, wrong process" },
  lowest_last_share: { name: "Lowest at the last step", means: "if high, it only judges answers; lower is better" },
  ece: { name: "Calibration error", means: "how far scores are from true shares; lower is better" },
  brier: { name: "Brier score", means: "mean squared distance from the truth; lower is better" },
};

/** The meaning of the same figures for a model of outcomes, which judges whole traces. */
export const FIGURES_OF_ANSWERS: Record<string, FigureWords> = {
  ...FIGURES,
  auc: { name: "Answer AUC", means: "a trace with a right answer scores above one with a wrong answer" },
  average_precision: {
    name: "Average precision",
    means: "of wrong answers, over all thresholds; chance gives their share of the traces",
  },
};

/** Which of two measured models is ahead in a figure; null if there is no interval to tell by. */
interface Ahead {
  ahead: "left" | "right" | "undecided" | null;
}

export type Standing = "better" | "worse" | "undecided" | "unknown";

/** How the left model compares with the right one in a figure. */
export function standing({ ahead }: Ahead): Standing {
  if (ahead === null) return "unknown";
  return { left: "better", right: "worse", undecided: "undecided" }[ahead] as Standing;
}

/** The names of the figures in which the left model is better, worse, or neither. */
export function standings(differences: (Ahead & { name: string })[]): Record<Standing, string[]> {
  const found: Record<Standing, string[]> = { better: [], worse: [], undecided: [], unknown: [] };
  for (const name of Object.keys(FIGURES)) {
    const difference = differences.find((one) => one.name === name);
    if (difference) found[standing(difference)].push(FIGURES[name]?.name ?? name);
  }
  return found;
}
