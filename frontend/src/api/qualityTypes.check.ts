/** Holds the types of `qualityTypes.ts` and the server's schema together, as `types.check.ts` does for `types.ts`. */
import type * as Page from "./qualityTypes";
import type { components } from "./schema";

type Server = components["schemas"];
/** An error unless every `Given` may be used where a `Wanted` is expected. */
type Fits<Given extends Wanted, Wanted> = Given;

/** What the server answers is what the pages read. */
export type Answers = [
  Fits<Server["GoldOut"], Page.GoldItem>,
  Fits<Server["GoldCounts"], Page.GoldCounts>,
  Fits<Server["MyQuality"], Page.MyQuality>,
  Fits<Server["FeedbackOut"], Page.Feedback>,
  Fits<Server["LabelerQualitiesOut"], Page.LabelerQualities>,
  Fits<Server["LabelerQualityOut"], Page.LabelerQuality>,
];

/** What the pages send is what the server takes. */
export type Requests = [Fits<Page.GoldSaid, Server["MakeGoldIn"]>, Fits<Page.GoldSaid, Server["ChangeGoldIn"]>];
