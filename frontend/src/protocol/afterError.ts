/**
 * What a label says about a mistake beyond its place: the candidates to rate, as rows, and what the round asks for.
 * The twin of the server's `labeling/protocol/after_error.py`; both are tested on
 * `labeling/tests/after_error_cases.json`.
 */
import type { Alternative, AlternativeRating, Mistake, Rating, Suggestion, SuggestionRating } from "@/api/types";
import type { Finding } from "./interface";

type Askable = "progress" | "kind" | "corrected_step" | "explanation";
const ASKABLE: Askable[] = ["progress", "kind", "corrected_step", "explanation"];

export const NOTHING_SAID: Required<Mistake> = {
  progress: null,
  explanation: "",
  kind: "",
  clause: "",
  corrected_step: "",
};

/** Does the label say anything about the mistake itself? */
export function saysSomething(mistake: Mistake): boolean {
  return Object.values(mistake).some((value) => value !== null && value.trim() !== "");
}

/** What the round asks for and the label does not say about its first error; empty if there is no error (-1). */
export function missingAfterError(
  asked: readonly string[],
  error: number,
  mistake: Mistake,
  rated: readonly (Rating | null)[],
): Finding[] {
  if (error < 0) return [];
  const said: Record<Askable, boolean> = {
    progress: mistake.progress !== null,
    kind: (mistake.kind ?? "") !== "",
    corrected_step: mistake.corrected_step.trim() !== "",
    explanation: mistake.explanation.trim() !== "" || rated.includes(1),
  };
  return ASKABLE.filter((name) => asked.includes(name) && !said[name]).map((name) => ({
    code: `${name}_asked`,
    step: error,
  }));
}

/** The stored ratings of rows: of alternatives by their number, of suggestions by their place. */
export interface Rated {
  alternatives: readonly AlternativeRating[];
  suggestions: readonly SuggestionRating[];
}

/** One row to rate; it stands for all candidates with the same text. */
export interface CandidateRow {
  key: string;
  kind: "explanation" | "alternative";
  text: string;
  completions: readonly number[];
  suggestions: readonly Pick<SuggestionRating, "step" | "kind" | "number">[];
}

/** The normalised text by which candidates count as equal. */
function sameText(text: string): string {
  return text.normalize("NFC").replace(/\s+/gu, " ").trim();
}

/** The rows at a step: explanations first, then other next steps, each in the order they arrived. */
export function candidateRows(
  step: number,
  alternatives: readonly Alternative[],
  suggestions: readonly Suggestion[],
): CandidateRow[] {
  const rows = new Map<string, CandidateRow>();
  const add = (kind: CandidateRow["kind"], text: string, more: Partial<CandidateRow>) => {
    const key = `${kind}:${sameText(text)}`;
    const row = rows.get(key) ?? { key, kind, text, completions: [], suggestions: [] };
    rows.set(key, {
      ...row,
      completions: [...row.completions, ...(more.completions ?? [])],
      suggestions: [...row.suggestions, ...(more.suggestions ?? [])],
    });
  };
  for (const one of alternatives) if (one.step === step) add("alternative", one.text, { completions: [one.id] });
  for (const { step: at, kind, number, text } of suggestions) {
    if (at === step) add(kind, text, { suggestions: [{ step: at, kind, number }] });
  }
  const all = [...rows.values()];
  return [...all.filter((row) => row.kind === "explanation"), ...all.filter((row) => row.kind === "alternative")];
}

export function countOf(row: CandidateRow): number {
  return row.completions.length + row.suggestions.length;
}

export function ratingOf(
  row: CandidateRow,
  { alternatives, suggestions }: Rated,
): { rating: Rating | null; flagged: boolean } {
  const of = row.completions.length
    ? alternatives.find((one) => row.completions.includes(one.completion))
    : suggestions.find((one) => row.suggestions.some((place) => isAt(one, place)));
  return { rating: of?.rating ?? null, flagged: of?.flagged ?? false };
}

function isAt(one: SuggestionRating, place: Pick<SuggestionRating, "step" | "kind" | "number">): boolean {
  return one.step === place.step && one.kind === place.kind && one.number === place.number;
}

/** Rate all of a row's equal candidates. With neither a rating nor a flag, nothing is kept for them. */
export function withRow(rated: Rated, row: CandidateRow, rating: Rating | null, flagged: boolean): Rated {
  const alternatives = rated.alternatives.filter((one) => !row.completions.includes(one.completion));
  const suggestions = rated.suggestions.filter((one) => !row.suggestions.some((place) => isAt(one, place)));
  if (rating === null && !flagged) return { alternatives, suggestions };
  return {
    alternatives: [...alternatives, ...row.completions.map((completion) => ({ completion, rating, flagged }))],
    suggestions: [...suggestions, ...row.suggestions.map((place) => ({ ...place, rating, flagged }))],
  };
}

/** The ratings of the machine's explanations of the error. */
export function ratedExplanations(error: number, suggestions: readonly SuggestionRating[]): (Rating | null)[] {
  return suggestions.filter((one) => one.kind === "explanation" && one.step === error).map((one) => one.rating);
}
