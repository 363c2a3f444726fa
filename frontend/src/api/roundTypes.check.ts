/** Holds the types of `roundTypes.ts` and the server's schema together, as `types.check.ts` does for `types.ts`. */
import type * as Page from "./roundTypes";
import type { components } from "./schema";

type Server = components["schemas"];
/** An error unless every `Given` may be used where a `Wanted` is expected. */
type Fits<Given extends Wanted, Wanted> = Given;

/** What the server answers is what the pages read. */
export type Answers = [
  Fits<Server["PrmOut"], Page.Prm>,
  Fits<Server["GeneratorsOut"], Page.Generators>,
  Fits<Server["SplitterPreview"], Page.SplitPreview>,
  Fits<Server["PoolCountOut"], Page.PoolCount>,
  Fits<Server["RoundProgressOut"], Page.RoundProgress>,
  Fits<Server["SelectionOut"], Page.Selection>,
  Fits<Server["TraceScores"], Page.TraceScores>,
  Fits<Omit<Server["RoundReportOut"], "by_day">, Omit<Page.RoundReport, "by_day">>,
  Fits<Server["ReportedRoundOut"]["round"], Page.ReportedRound["round"]>,
  Fits<Server["GradingOut"], Page.Grading>,
  Fits<Server["GradingDifference"], Page.GradingDifference>,
];

/** What the pages send is what the server takes; fields with a default may be left out. */
export type Requests = [
  Fits<Page.Generate, Server["GenerateIn"]>,
  Fits<Page.SelectionRules, Partial<Server["SelectionRulesIn"]>>,
  Fits<Omit<Page.PoolCountQuestion, "filter">, Partial<Server["PoolCountIn"]>>,
  Fits<Omit<Page.NewStagedRound, "filter">, Partial<Server["StartRoundIn"]>>,
];
