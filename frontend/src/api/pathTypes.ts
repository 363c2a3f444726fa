/** Types for paths chosen step by step, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type Rated = Server["RatedCompletion"];
export type PathStep = Server["PathStepOut"];
export type OpenStep = Server["OpenStepOut"];
export type DiscardedStep = Server["DiscardedStepOut"];
export type Path = Server["PathOut"];
export type CompletionRating = Server["CompletionRating"];
export type StepToSubmit = Server["SubmitStepIn"];
export type NewPathRound = Server["OpenPathRoundIn"];
export type PathRoundQuestion = Server["PathRoundIn"];
export type PathReport = Server["PathReportOut"];
export type PathRoundPreview = Server["PathRoundPreview"];
