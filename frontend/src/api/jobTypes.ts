/** Types for imports with their faults and for exports, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type JobStatus = Server["JobStatus"];
export type ImportFormats = Server["ImportFormatsOut"];
export type FaultExample = Server["FaultOut"];
export type FaultKind = Server["FaultKind"];
export type ImportReport = Server["ImportReport"];
export type ImportJob = Server["ImportOut"];
export type ImportFormat = Server["ImportFormatOut"];
export type ImportRows = Server["ImportRowsOut"];
export type ImportPreview = Server["ImportPreviewOut"];
export type PreviewedTrace = Server["PreviewedTrace"];
export type ImportChecked = Server["ImportCheckedIn"];
export type ExportFormats = Server["ExportFormatsOut"];
export type ExportFormat = Server["ExportFormatOut"];
export type ExportSwitch = Server["SwitchOut"];
export type NewExport = Server["ExportIn"];
export type Export = Server["ExportOut"];
export type LabelPush = Server["LabelPushOut"];
export type LabelPushes = Server["LabelPushesOut"];
export type HastyLabelsFound = Server["HastyLabelsOut"];
export type LabelSorts = Server["LabelSortsOut"];
export type ExportPreview = Server["ExportPreviewOut"];
