import type { ReactNode } from "react";
import type { TypedStep } from "@/ui/run/typedStep";

/** What an agent's run shows instead of its steps' texts; null for plain solutions. */
export interface RunShown {
  before: ReactNode;
  units: readonly ReactNode[];
  kinds: readonly string[];
  hidden: ReadonlySet<string>;
  toggle: (name: string) => void;
  /** All steps, including the hidden ones. */
  steps: readonly TypedStep[];
}
