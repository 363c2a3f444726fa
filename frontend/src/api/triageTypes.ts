/** What the server says of noise triage, as its schema has it. */
import type { components } from "./schema";

type Server = components["schemas"];

export type NewTriage = Server["CreateTriageIn"];
export type TriageQuestion = Server["TriageQuestionIn"];
export type TriageCounts = Server["TriageCounts"];
export type TriageProgress = Server["TriageProgress"];
export type TriageSummary = Server["TriageSummary"];
export type Triage = Server["TriageOut"];
export type TriageReport = Server["TriageReport"];
export type TriageArm = Server["TriageArm"];
export type CorrectedLabel = Server["CorrectedLabel"];
export type BlindItem = Server["BlindItem"];
export type NextItem = Server["NextItemOut"];
