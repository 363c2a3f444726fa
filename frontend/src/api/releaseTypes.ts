/** Types for releases, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type NewRelease = Server["DraftReleaseIn"];
export type ReleaseSummary = Server["ReleaseSummary"];
export type Release = Server["ReleaseOut"];
export type ReleaseQuestion = Server["ReleaseQuestion"];
export type ReleaseOverlap = Server["ReleaseOverlap"];
export type ReleaseOverlaps = Server["ReleaseOverlaps"];
export type ReleaseCard = Server["ReleaseCardOut"];
export type ReleaseDiff = Server["ReleaseDiffOut"];
export type DiffPart = Server["DiffPart"];
export type DiffRow = Server["DiffRowOut"];
export type ReleasedLabel = Server["ReleasedLabelOut"];
export type Incident = Server["IncidentOut"];
export type FoundRow = Server["FoundRowOut"];
export type ReleaseLabelers = Server["ReleaseLabelersOut"];
export type ReleaseLabeler = Server["ReleaseLabelerOut"];
export type WentInto = Server["WentIntoOut"];
