/** Types for the session and the labeling page, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

/** One page of a list; `next` is the cursor of the next page. */
export interface Page<T> {
  results: T[];
  next: string | null;
}

export type Role = Server["Role"];
export type Rating = Server["Rating"];
export type FinishReason = Server["FinishReason"];
export type BadProblemKind = Server["FinishDetailKindEnum"];
export type LabelStatus = Server["LabelStatus"];
export type Outcome = Server["Outcome"];
export type Preferences = Server["SessionUser"]["preferences"];
export type SessionUser = Server["SessionUser"];
export type Credentials = Server["LogInIn"];
export type PersonProof = Server["CheckIn"];
export type NewPassword = Server["ChangePasswordIn"];
export type NewAccount = Server["AcceptInvitationIn"];
export type Session = Server["SessionOut"];
export type LoggedOut = Server["LoggedOutOut"];
export type BegunSignIn = Server["BeginSignInOut"];
export type PasskeyOptions = Server["PasskeyOptionsOut"];
export type SecondFactors = Server["SecondFactorsOut"];
export type SecondFactor = Server["SecondFactorOut"];
export type CodeApp = Server["CodeAppOut"];
export type RecoveryCodes = Server["RecoveryCodesOut"];
export type LoggedInBrowser = Server["BrowserOut"];
export type EndedBrowsers = Server["EndedOut"];
export type NewForgottenPassword = Server["NewPasswordIn"];
export type RoundRef = Server["RoundRef"];
export type Alternative = Server["AlternativeShown"];
export type Mistake = Server["Mistake"];
export type AlternativeRating = Server["AlternativeRating"];
export type Suggestion = Server["SuggestionShown"];
export type Suggestions = Server["SuggestionsOut"];
export type SuggestionRating = Server["SuggestionRating"];
export type ErrorKind = Server["ErrorKindShown"];
export type Clause = Server["ClauseOut"];
export type CarriedMark = Server["CarriedMark"];
export type CarriedRating = Server["CarriedRating"];
export type Report = Server["Report"];
export type Confirmation = Server["Confirmation"];
export type Span = Server["SpanField"];
export type TypedStepWhole = Server["TypedStepOut"];
export type RunMarks = Server["RunMarks"];
export type Submission = Server["SubmitIn"];
export type SubmittedLabel = Server["SubmittedOut"];
export type Label = Server["LabelOut"];
export type LeaseState = Server["LeaseOut"];
export type SavedDraftRevision = Server["DraftOut"];
export type Reference = Server["ReferenceOut"];
export type EmptyQueue = Server["EmptyOut"];
export type Claim = Server["ClaimOut"];
export type EarlierLabel = Server["EarlierLabel"];
export type EarlierLabels = Server["EarlierLabelsOut"];
export type LabelSummary = Server["LabelSummary"];
export type MyLabel = Server["MyLabel"];
export type RevealedScores = Server["RevealedOut"];
export type ComparedLabel = Server["ComparedLabel"];
export type Comparison = Server["LabelComparisonOut"];
export type MyProgress = Server["MyProgress"];
export type MyStats = Server["MyStats"];
export type Guideline = Server["GuidelineOut"];
