import type { ReactNode } from "react";
import type { TypedStep } from "@/ui/run/typedStep";

/** What an agent's run shows in the place of its steps' texts; null for plain solutions. */
export interface RunShown {
  before: ReactNode;
  units: readonly ReactNode[];
  kinds: readonly string[];
  hidden: ReadonlySet<string>;
  toggle: (name: string) => void;
  /** All of them, whatever is hidden. */
  steps: readonly TypedStep[];
}
