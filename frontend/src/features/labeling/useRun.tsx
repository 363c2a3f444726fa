import { useCallback, useMemo, useState } from "react";
import type { Label } from "@/api/types";
import { partOfPage } from "@/ui/partOfPage";
import type { Placed } from "@/ui/run/RunSteps";
import type { TypedStep } from "@/ui/run/typedStep";
import { getTypedStep } from "./queries";
import type { RunShown } from "./runShown";

const RunSteps = partOfPage(async () => (await import("@/ui/run/RunSteps")).RunSteps);
export const RunMap = partOfPage(async () => (await import("./RunPanels")).RunMap);
export const RunMarksPanel = partOfPage(async () => (await import("./RunPanels")).RunMarksPanel);

/** What shows a run: it is there before the run is, or its steps would grow under the reader's eyes. */
export const fetchRun = () => Promise.all([RunSteps.fetch(), RunMap.fetch(), RunMarksPanel.fetch()]);

const CALLS = ["tool_call", "edit", "test_run"];

/** The typed steps by unit, without what the labeler has filtered out. */
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
    const whole = async (place: number) => String((await getTypedStep(label.id, place)).step.text ?? "");
    const placed: Placed[] = steps.map((step, place) => ({ step, place }));
    const shown = placed.filter(({ step }) => !namesOf(step).some((name) => hidden.has(name)));
    const of = (unit: number) => shown.filter(({ step }) => (step.unit ?? step.after) === unit);
    const failed = label.steps.map((_, unit) => steps.some((one) => (one.unit ?? one.after) === unit && one.is_error));
    return {
      before: <RunSteps steps={of(-1)} whole={whole} />,
      units: label.steps.map((_, unit) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a unit is its place in the run
        <RunSteps key={unit} steps={of(unit)} whole={whole} />
      )),
      kinds: [...new Set(steps.flatMap(namesOf))],
      hidden,
      toggle,
      failed,
    };
  }, [label, hidden, toggle]);
}

/** By what a step is filtered: its kind, and of a call its tool. */
function namesOf(step: TypedStep): string[] {
  const tool = CALLS.includes(step.kind) && step.tool ? [`tool:${step.tool}`] : [];
  return [step.kind, ...tool];
}
