/**
 * Holds the types of `types.ts` and the server's schema together: a change on either side that the other does not follow
 * fails the type check on a line here. Nothing of this file is in the build.
 */
import type { components } from "./schema";
import type {
  Claim,
  Comparison,
  EarlierLabel,
  EmptyQueue,
  Guideline,
  Label,
  LabelSummary,
  MyStats,
  Session,
  Submission,
} from "./types";

type Server = components["schemas"];
/** An error unless every `Given` may be used where a `Wanted` is expected. */
type Fits<Given extends Wanted, Wanted> = Given;

/** What the server answers is what the page reads. */
export type Answers = [
  Fits<Omit<Server["LabelOut"], "submission">, Omit<Label, "submission">>,
  Fits<keyof Server["ClaimOut"], keyof Claim>,
  Fits<Server["EmptyOut"], EmptyQueue>,
  Fits<Omit<Server["EarlierLabel"], "ratings">, Omit<EarlierLabel, "ratings">>,
  Fits<Server["LabelSummary"], LabelSummary>,
  Fits<Server["MyStats"], MyStats>,
  Fits<Server["LabelComparisonOut"], Comparison>,
  Fits<Server["GuidelineOut"], Guideline>,
  Fits<Server["SessionOut"], Session>,
];

/** What the page sends is what the server takes, and leaves nothing out. */
export type Requests = [Fits<Submission, Server["SubmitIn"]>, Fits<keyof Server["SubmitIn"], keyof Submission>];
