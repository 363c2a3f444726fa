/** What the server says of agreement and of the review queue, as its schema has it. */
import type { components } from "./schema";

type Server = components["schemas"];

export type Agreement = Server["AgreementOut"];
export type AgreementEstimate = Server["AgreementEstimate"];
export type AgreementFigures = Server["AgreementFigures"];
export type AgreeingPair = Server["AgreeingPair"];
export type ReviewKind = Server["WaitingTask"]["kinds"][number];
export type WaitingTask = Server["WaitingTask"];
export type ReviewCounts = Server["ReviewCounts"];
export type Review = Omit<Server["ReviewOut"], "task">;
export type ReviewDecision = Server["DecisionOut"];
export type Reply = Server["ReplyOut"];
export type Ruling = Server["SettleTaskIn"];
export type Thread = Server["ThreadOut"];
