/** Shapes of projects and people, problems and traces, rounds and tasks, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type AfterError = Server["AfterErrorShape"];
export type AnswerKind = Server["AnswerKindEnum"];
export type Project = Server["ProjectOut"];
export type NewProject = Server["CreateProjectIn"];
export type PersonRef = Server["PersonRef"];
export type ProjectMember = Server["MemberOut"];
export type Invitation = Server["InvitationOut"];
export type NewInvitation = Server["InvitationIn"];
export type MadeInvitation = Server["NewInvitationOut"];
export type InvitationPreview = Server["PublicInvitationOut"];
export type ApiToken = Server["TokenOut"];
export type NewApiToken = Server["TokenIn"];
export type MadeApiToken = Server["NewTokenOut"];
export type GuidelineVersion = Server["GuidelineVersion"];
export type AuditEvent = Server["AuditEventOut"];
export type ProblemSummary = Server["ProblemBrief"];
export type Problem = Server["ProblemFull"];
export type TraceSummary = Server["TraceSummary"];
export type TraceBody = Server["TraceBase"];
export type TraceDetail = Server["TraceOut"];
export type LabelDetail = Server["LabelDetail"];
export type Split = Server["SplitEnum"];
export type RoundSource = Server["RoundSource"];
export type RoundStatus = Server["RoundStatus"];
export type TraceFilter = Server["TraceFilter"];
export type RoundChoice = Server["ChooseTracesIn"];
export type RoundPreview = Server["RoundPreview"];
export type NewRound = Server["OpenRoundIn"];
export type Round = Server["RoundOut"];
export type TaskState = Server["TaskState"];
export type TaskSummary = Server["TaskSummary"];
export type TaskDetail = Server["TaskOut"];
export type Lease = Server["LeaseHeld"];
export type Overview = Server["OverviewOut"];
