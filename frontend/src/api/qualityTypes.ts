/** Types for gold, screening and labeler quality, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type GoldSign = Server["SignsEnum"];
export type Share = Server["ShareOut"];
export type GoldItem = Server["GoldOut"];
export type GoldCounts = Server["GoldCounts"];
export type GoldSaid = Server["MakeGoldIn"];
export type QualityState = Server["QualityState"];
export type Pause = Server["PauseOut"];
export type Screening = Server["ScreeningOut"];
export type MyQuality = Server["MyQuality"];
export type Feedback = Server["FeedbackOut"];
export type LabelerQuality = Server["LabelerQualityOut"];
export type LabelerQualities = Server["LabelerQualitiesOut"];
