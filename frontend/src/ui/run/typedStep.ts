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
  nested?: { [key: string]: unknown }[];
}
