/** Types for scores made elsewhere, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type ScoreImport = Server["ScoreImportOut"];
export type NewScores = Omit<Server["ScoreImportIn"], "file">;
