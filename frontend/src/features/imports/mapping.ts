import type { ImportChecked, ImportRows } from "@/api/jobTypes";

/** Which column is what, as the server accepts it: columns by role, and how steps and marks are read. */
export type Mapping = Partial<Record<keyof NonNullable<ImportChecked["mapping"]>, string>>;

export const ROLES: { role: keyof Mapping; label: string; note?: string }[] = [
  { role: "problem", label: "Problem" },
  { role: "steps", label: "Steps, or the whole response" },
  { role: "marks", label: "What is said about the steps", note: "Marks, ratings, or the first error." },
  { role: "final_answer", label: "Final answer", note: "What the model answered." },
  { role: "outcome", label: "Is the answer right?", note: "True or false." },
  { role: "ground_truth_answer", label: "Right answer" },
  { role: "ground_truth_solution", label: "Reference solution" },
  { role: "problem_id", label: "Problem's id" },
  { role: "generator", label: "Model" },
  { role: "source", label: "Source" },
  { role: "subject", label: "Subject" },
  { role: "level", label: "Level" },
];

export const WAYS = [
  { value: "list", label: "Nothing: it is a list of steps" },
  { value: "blank_line", label: "A blank line" },
  { value: "newline", label: "A line break" },
  { value: "numbered", label: "Numbers (1. 2. 3.)" },
  { value: "step", label: "“Step 1:”, “Step 2:” …" },
  { value: "custom", label: "A line that begins with …" },
  { value: "tag", label: "A tag that ends each step" },
];

export const MARKS = [
  { value: "hard", label: "Right or wrong for each step" },
  { value: "shares", label: "A share from 0 to 1 for each step" },
  { value: "first_error", label: "The first wrong step, from 0" },
  { value: "first_error_from_1", label: "The first wrong step, from 1" },
];

/** Return the mapping to send, without empty choices and those that do not apply. */
export function tidied(mapping: Mapping): Mapping {
  const kept = Object.entries(mapping).filter(([key, value]) => value !== "" && !isIdle(key, mapping));
  return Object.fromEntries(kept);
}

function isIdle(key: string, mapping: Mapping): boolean {
  if (key === "pattern") return mapping.split !== "custom" && mapping.split !== "tag";
  return key === "marks_are" && !mapping.marks;
}

/** Whose ratings they are, as the server accepts it: labels by somebody, or marks by a machine. */
export interface Whose {
  labels: boolean;
  labelsOf: string;
  marksOf: string;
}

/** Return both fields, so that what the file was checked with before no longer counts. */
export function whoseAsked({
  labels,
  labelsOf,
  marksOf,
}: Whose): Pick<Required<ImportChecked>, "labels_of" | "marks_of"> {
  return labels ? { labels_of: labelsOf.trim(), marks_of: "" } : { labels_of: "", marks_of: marksOf.trim() };
}

/** Return what is still missing before the file can be read, or null. */
export function missing(mapping: Mapping): string | null {
  if (!mapping.problem) return "Choose the column of the problem.";
  if (!mapping.steps) return "Choose the column of the steps.";
  if (mapping.problem === mapping.steps) return "Problem and steps cannot be the same column.";
  const needsPattern = mapping.split === "custom" || mapping.split === "tag";
  return needsPattern && !mapping.pattern ? "Enter the text that separates the steps." : null;
}

/** Return the columns to choose from. */
export function columnChoices({ columns }: Pick<ImportRows, "columns">): { value: string; label: string }[] {
  return [{ value: "", label: "–" }, ...columns.map(({ name }) => ({ value: name, label: name }))];
}

/** Return a cell as text, short enough for a table. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
