/** Types for label audits, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type NewLabelAudit = Server["CreateLabelAuditIn"];
export type LabelAuditQuestion = Server["LabelAuditQuestionIn"];
export type LabelAuditCounts = Server["LabelAuditCounts"];
export type LabelAuditProgress = Server["LabelAuditProgress"];
export type LabelAuditSummary = Server["LabelAuditSummary"];
export type LabelAudit = Server["LabelAuditOut"];
export type LabelAuditReport = Server["LabelAuditReport"];
export type LabelAuditArm = Server["LabelAuditArm"];
export type CorrectedLabel = Server["CorrectedLabel"];
export type BlindItem = Server["BlindItem"];
export type NextItem = Server["NextItemOut"];
