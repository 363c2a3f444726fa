/** Types for machine label sources, their runs, marks and calibration, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type Sources = Server["SourcesOut"];
export type Source = Server["SourceOut"];
export type NewSource = Server["CreateSourceIn"];
export type SourceRun = Server["SourceRunOut"];
export type NewSourceRun = Server["RunSourceIn"];
export type SourceEstimate = Server["SourceEstimateOut"];
export type JudgePreview = Server["JudgePreviewOut"];
export type MachineMark = Server["MachineMarkOut"];
export type Calibration = Server["CalibrationOut"];
export type Acceptance = Server["AcceptanceOut"];
export type MachineReport = Server["MachineReportOut"];
export type CalibrationFigure = Server["NamedFigure"];
export type SourceKind = NewSource["kind"];
