/**
 * Something that was said or done in an agent's run: what the faces of it need. `ui` knows nothing of the API, so this is a
 * shape of its own; the compiler holds the server's TypedStepShown against it where a page hands its steps over.
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
  /** Of a long one the head; `tail` is its end. */
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

/** Where the parts of a run come from that its steps only name. */
export interface RunSource {
  /** All of a step's text; of a sub-agent's step by the places that lead there. */
  whole: (path: readonly number[]) => Promise<string>;
  /** The address of a picture. */
  image: (sha256: string) => string;
}

const CALLS = ["tool_call", "edit", "test_run"];

/** By what a step is filtered: its kind, and of a call its tool. */
export function namesOf(step: TypedStep): string[] {
  const tool = CALLS.includes(step.kind) && step.tool ? [`tool:${step.tool}`] : [];
  return [step.kind, ...tool];
}

/** Which unit a step is of, or follows; -1: it stands before the first. */
export const unitOf = (step: TypedStep): number => step.unit ?? step.after ?? -1;

/** Whether something went wrong in it: a tool failed, or a test. */
export const wentWrong = (step: TypedStep): boolean => Boolean(step.is_error) || (step.tests?.failed ?? 0) > 0;
