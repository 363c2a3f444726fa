import { useCallback, useMemo, useState } from "react";
import { ofLabel } from "@/api/runSteps";
import type { Label } from "@/api/types";
import { partOfPage } from "@/ui/partOfPage";
import { RunSteps } from "@/ui/run/runParts";
import { runUnits } from "@/ui/run/runUnits";
import { namesOf } from "@/ui/run/typedStep";
import type { RunShown } from "./runShown";

export const RunMap = partOfPage(async () => (await import("./RunPanels")).RunMap);
export const RunMarksPanel = partOfPage(async () => (await import("./RunPanels")).RunMarksPanel);

/** Loads the code that shows a run. It must be there before the run is, or the steps would grow while you read. */
export const fetchRun = () => Promise.all([RunSteps.fetch(), RunMap.fetch(), RunMarksPanel.fetch()]);

/** Return the typed steps by unit, without what the labeler has filtered out; null if the trace is not a run. */
export function useRun(label: Label): RunShown | null {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback(
    (name: string) =>
      setHidden((now) => (now.has(name) ? new Set([...now].filter((one) => one !== name)) : new Set([...now, name]))),
    [],
  );
  return useMemo(() => {
    const steps = label.typed_steps;
    if (!steps) return null;
    return {
      ...runUnits(steps, label.steps.length, ofLabel(label.id), hidden),
      steps,
      kinds: [...new Set(steps.flatMap(namesOf))],
      hidden,
      toggle,
    };
  }, [label, hidden, toggle]);
}
