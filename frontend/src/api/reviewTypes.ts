/** Types for agreement and the review queue, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type Agreement = Server["AgreementOut"];
export type Disputed = Server["DisputedOut"];
export type DisputedTrace = Server["DisputedTrace"];
export type AgreementEstimate = Server["AgreementEstimate"];
export type AgreementFigures = Server["AgreementFigures"];
export type AgreeingPair = Server["AgreeingPair"];
export type ReviewKind = Server["ReviewKind"];
export type WaitingTask = Server["WaitingTask"];
export type ReviewCounts = Server["ReviewCounts"];
export type Review = Server["ReviewOut"];
export type ReviewDecision = Server["DecisionOut"];
export type Reply = Server["ReplyOut"];
export type Ruling = Server["BlindReviewIn"];
export type Settlement = Server["SettleTaskIn"];
export type Withdrawal = Server["WithdrawRulingIn"];
export type Dismissal = Server["DismissIn"];
export type NewReply = Server["ReplyIn"];
export type Reason = Server["ReasonIn"];
export type ProblemStatus = Server["ProblemStatusOut"];
export type AnswerCorrection = Server["CorrectAnswerIn"];
export type AcceptedAnswer = Server["AcceptAnswerIn"];
export type GradingStarted = Server["GradingStarted"];
export type SplitRepair = Server["RepairSplitIn"];
export type SplitRepaired = Server["SplitRepaired"];
export type Thread = Server["ThreadOut"];
