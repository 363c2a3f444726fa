import { NumberInput, Switch } from "@mantine/core";
import * as limits from "@/api/limits";
import { inPercent } from "@/api/percent";
import { FormRow, FormSection } from "@/ui/Form";
import type { ProjectSettings } from "./queries";

type FormValues = Omit<ProjectSettings, "status">;

interface QualityFieldsProps {
  value: <K extends keyof FormValues>(name: K) => FormValues[K];
  set: (changes: Partial<FormValues>) => void;
  fault: (name: string) => string | undefined;
}

/** How labelers are screened, and how much gold they meet in rounds. */
export function QualityFields({ value, set, fault }: QualityFieldsProps) {
  const number = (name: "gold_per_round" | "screening_tasks" | "screening_retries") => ({
    name,
    allowDecimal: false,
    allowNegative: false,
    value: value(name) ?? 0,
    error: fault(name),
    onChange: (next: number | string) => set({ [name]: Number(next) }),
  });
  const tasks = value("screening_tasks");
  const needed = Math.ceil(tasks * value("screening_share") - 1e-9);
  return (
    <FormSection title="Quality" note="Gold tasks have a known first error. Labelers cannot tell which tasks are gold.">
      <NumberInput
        label="Gold tasks in a round"
        description="Each labeler gets each of them once. 0 turns gold off. PRM800K had 10 to 20."
        {...limits.ChangeProjectIn.gold_per_round}
        {...number("gold_per_round")}
      />
      <Switch
        label="Screen new annotators"
        description="They do gold tasks before they get real work. People who have labeled here before skip this."
        name="screening"
        checked={value("screening")}
        onChange={(event) => set({ screening: event.currentTarget.checked })}
      />
      {value("screening") && (
        <>
          <FormRow>
            <NumberInput
              label="Tasks in a screening"
              {...limits.ChangeProjectIn.screening_tasks}
              {...number("screening_tasks")}
            />
            <NumberInput
              label="Percent to pass"
              description={`${needed} of ${tasks}.`}
              {...inPercent(limits.ChangeProjectIn.screening_share)}
              name="screening_share"
              value={Math.round(value("screening_share") * 100)}
              error={fault("screening_share")}
              onChange={(percent) => set({ screening_share: Number(percent) / 100 })}
            />
            <NumberInput
              label="Further tries"
              description="After a failed screening."
              {...limits.ChangeProjectIn.screening_retries}
              {...number("screening_retries")}
            />
          </FormRow>
          <Switch
            label="Show the accepted answer after each screening task"
            name="screening_feedback"
            checked={value("screening_feedback")}
            onChange={(event) => set({ screening_feedback: event.currentTarget.checked })}
          />
        </>
      )}
    </FormSection>
  );
}
