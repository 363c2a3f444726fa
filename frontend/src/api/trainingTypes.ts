/** Shapes of training runs, evaluations and the project's selector, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type TrainingMethod = Server["MethodEnum"];
export type TrainingNumbers = Server["DtypeEnum"];
export type TrainingTarget = Server["TargetEnum"];
export type TrainingStage = Server["TrainingStage"];
export type TrainableRound = Server["TrainableRound"];
export type TrainingOptions = Server["TrainingOptionsOut"];
export type TrainingQuestion = Server["PreviewTrainingIn"];
export type TrainingPreview = Server["TrainingPreviewOut"];
export type NewTrainingRun = Server["TrainingRunIn"];
export type TrainingFigure = Server["TrainingFigure"];
export type TrainingRunSummary = Server["TrainingRunSummary"];
export type CurvePoint = Server["CurvePoint"];
export type TrainingRun = Server["TrainingRunOut"];
export type Promotion = Server["PromotionOut"];
export type SetSource = Server["SetSource"];
export type EvaluationSet = Server["EvaluationSetOut"];
export type RecordedSource = Server["RecordedSource"];
export type EvaluationSets = Server["EvaluationSetsOut"];
export type NewEvaluationSet = Server["EvaluationSetIn"];
export type NewEvaluation = Server["EvaluationIn"];
export type Estimate = Server["EstimateOut"];
export type EvaluationFigure = Server["FigureOut"];
export type ReliabilityBin = Server["ReliabilityBin"];
export type EvaluationGroup = Server["GroupOut"];
export type BestOfN = Server["BestOfNOut"];
export type LengthBin = Server["LengthBinOut"];
export type EvaluationReport = Server["EvaluationReportOut"];
export type EvaluationSummary = Server["EvaluationSummary"];
export type Evaluation = Server["EvaluationOut"];
export type Disagreement = Server["Disagreement"];
export type Difference = Server["DifferenceOut"];
export type PromotionNews = Server["PromotionNews"];
export type Comparison = Server["ComparisonOut"];
