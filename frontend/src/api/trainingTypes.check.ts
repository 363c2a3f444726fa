/** Holds the types of `trainingTypes.ts` and the server's schema together, as `types.check.ts` does for `types.ts`. */
import type { components } from "./schema";
import type * as Page from "./trainingTypes";

type Server = components["schemas"];
/** An error unless every `Given` may be used where a `Wanted` is expected. */
type Fits<Given extends Wanted, Wanted> = Given;

/** What the server answers is what the pages read. */
export type Answers = [
  Fits<Server["TrainingOptionsOut"], Page.TrainingOptions>,
  Fits<Server["TrainingPreviewOut"], Page.TrainingPreview>,
  Fits<Server["TrainingRunSummary"], Page.TrainingRunSummary>,
  Fits<Server["TrainingRunOut"], Page.TrainingRun>,
  Fits<Server["PromotionOut"], Page.Promotion>,
  Fits<Server["EvaluationSetsOut"], Page.EvaluationSets>,
  Fits<Server["EvaluationSummary"], Page.EvaluationSummary>,
  Fits<Server["EvaluationOut"], Page.Evaluation>,
  Fits<Server["ComparisonOut"], Page.Comparison>,
];

/** What the pages send is what the server takes; fields with a default may be left out. */
export type Requests = [
  Fits<Page.NewTrainingRun, Partial<Server["TrainingRunIn"]>>,
  Fits<Page.NewEvaluationSet, Partial<Server["EvaluationSetIn"]>>,
  Fits<Page.NewEvaluation, Partial<Server["EvaluationIn"]>>,
];
