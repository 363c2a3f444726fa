/**
 * Types for rounds carried out by workers, straight from the server's schema: PRMs, the pool, progress, the selection,
 * the report; and gradings. Plain rounds are in `projectTypes.ts`.
 */
import type { components } from "./schema";

type Server = components["schemas"];

export type PrmRef = Server["PrmRef"];
export type Prm = Server["PrmOut"];
export type Prms = Server["PrmsOut"];
export type PrmFamily = Server["PrmFamilyOut"];
export type ModelFolder = Server["ModelFolderOut"];
export type PrmConnections = Server["PrmConnectionsOut"];
export type ConnectPrm = Server["ConnectPrmIn"];
export type TryPrm = Server["TryPrmIn"];
export type PrmTrial = Server["PrmTrialOut"];
export type Generator = Server["GeneratorOut"];
export type Generators = Server["GeneratorsOut"];
export type SplitterKind = Server["SplitterKind"];
export type Splitter = Server["SplitterIn"];
export type SplitPreview = Server["SplitterPreview"];
export type Generate = Server["GenerateIn"];
export type SelectionMode = Server["ModeEnum"];
export type SelectionRules = Server["SelectionRulesIn"];
export type PoolCountQuestion = Server["PoolCountIn"];
export type NewStagedRound = Server["StartRoundIn"];
export type PoolCount = Server["PoolCountOut"];
export type StageProgress = Server["StageOut"];
export type StageState = StageProgress["state"];
export type SampleCounts = Server["SampleCounts"];
export type RoundProgress = Server["RoundProgressOut"];
export type Mix = Server["MixIn"];
export type SelectionReason = Server["ReasonEnum"];
/** A method of selection alongside convincing wrong answers. */
export type Way = Extract<SelectionReason, keyof Mix>;
export type ScoreHistogram = Server["ScoreHistogram"];
export type SampleTrace = Server["SampleTrace"];
export type Selection = Server["SelectionOut"];
export type Yield = Server["YieldOut"];
export type RoundReport = Server["RoundReportOut"];
export type ReportedRound = Server["ReportedRoundOut"];
export type RoundReports = Server["RoundReportsOut"];
export type TraceScores = Server["TraceScores"];
export type GradingScope = Server["GradingOutScopeEnum"];
export type Grading = Server["GradingOut"];
export type GradingDifference = Server["GradingDifference"];
export type LeaveOut = Server["LeaveOutIn"];
export type RoundFigures = Server["RoundFiguresOut"];
export type ComparedRounds = Server["ComparedRoundsOut"];
