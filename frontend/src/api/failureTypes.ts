/** Types for the page of failures, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type Failures = Server["FailuresOut"];
export type FailureSection = Server["FailureSection"];
export type FailureSectionName = FailureSection["name"];
export type FailureFigure = Server["FailureFigure"];
