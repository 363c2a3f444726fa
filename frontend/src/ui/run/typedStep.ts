/**
 * Something said or done in an agent's run: the fields that its faces need. `ui` knows nothing of the API, so this is
 * its own type; the compiler checks the server's TypedStepShown against it where a page passes its steps on.
 */
export interface TypedStep {
  kind:
    | "thought"
    | "plan"
    | "message"
    | "tool_call"
    | "observation"
    | "edit"
    | "test_run"
    | "system"
    | "final"
    | "text";
  actor: string;
  name?: string;
  /** The text, or the head of a long one; `tail` is its end. */
  text: string;
  tail?: string;
  bytes: number;
  lines: number;
  tool?: string;
  arguments?: unknown;
  invalid_arguments?: boolean;
  call_id?: string;
  is_error?: boolean;
  unanswered?: boolean;
  cut?: boolean;
  copied?: boolean;
  t_start?: string;
  t_end?: string;
  seconds?: number;
  tokens?: number | null;
  unit?: number;
  after?: number;
  tests?: { passed: number; failed: number };
  images?: StepImage[];
  table?: StepTable;
  executed?: Executed;
  nested?: { [key: string]: unknown }[];
}

export interface StepImage {
  sha256: string;
  type: string;
  width: number;
  height: number;
}

export interface StepTable {
  columns: string[];
  rows: string[][];
  left_out?: number;
}

/** A recorded run of a program. */
export interface Executed {
  passed: boolean | null;
  input: string;
  expected: string;
  output: string;
  error: string;
  line?: number;
  states?: { line: number; text: string }[];
}

/** Where the parts of a run come from that its steps only refer to. */
export interface RunSource {
  /** The whole text of a step; a sub-agent's step is given by the places that lead to it. */
  whole: (path: readonly number[]) => Promise<string>;
  /** The address of a picture. */
  image: (sha256: string) => string;
}

const CALLS = ["tool_call", "edit", "test_run"];

/** The names that a step is filtered by: its kind and, for a call, its tool. */
export function namesOf(step: TypedStep): string[] {
  const tool = CALLS.includes(step.kind) && step.tool ? [`tool:${step.tool}`] : [];
  return [step.kind, ...tool];
}

/** The unit that a step belongs to or follows; -1: it comes before the first. */
export const unitOf = (step: TypedStep): number => step.unit ?? step.after ?? -1;

/** Did something go wrong in the step, either a tool or a test? */
export const wentWrong = (step: TypedStep): boolean => Boolean(step.is_error) || (step.tests?.failed ?? 0) > 0;
