import { NumberInput } from "@mantine/core";
import * as limits from "@/api/limits";
import { inPercent } from "@/api/percent";
import type { SelectionMode } from "@/api/roundTypes";
import { Choices, FormRow } from "@/ui/Form";
import { type Advice, AdvisedMix, MixFields } from "./MixFields";
import classes from "./rounds.module.css";
import { controlWords, hasControl, quotaWords, type RulesForm, rulesFaults } from "./rulesForm";

const MODES: { value: SelectionMode; name: string; means: string }[] = [
  { value: "per_problem", name: "Of each problem", means: "Every problem gets the same quota." },
  { value: "global", name: "Over all problems", means: "The quota is filled with the best of the whole pool." },
];

interface RulesFieldsProps {
  form: RulesForm;
  /** A change of `mode` does not include its K. */
  set: (changes: Partial<RulesForm>) => void;
  /** The server's message for a field. */
  fault: (name: string) => string | undefined;
  /** The recommended mix; unknown until the pool is counted. */
  advice: Advice | undefined;
  /** The pool is being counted. */
  adviceComing: boolean;
  /** Scorers whose scores the PRM's can be compared with. */
  scorers: readonly { id: number; name: string }[];
  /** No PRM scores, so chance chooses. */
  random: boolean;
}

/** The rules by which traces are chosen from the scored pool. */
export function RulesFields({ form, set, fault, advice, adviceComing, scorers, random }: RulesFieldsProps) {
  const control = hasControl(form, random);
  const faults = rulesFaults(form);
  const number = (name: "k" | "ratio" | "control_share" | "per_problem_cap" | "budget" | "seed") => ({
    name,
    clampBehavior: "none" as const, // what you typed stays, with its fault below it
    allowDecimal: name === "ratio" || name === "control_share",
    value: form[name],
    error: faults[name] ?? fault(name),
    onChange: (value: number | string) => set({ [name]: value === "" ? "" : Number(value) }),
  });
  return (
    <>
      <AdvisedMix advice={advice} coming={adviceComing} form={form} set={set} />
      <Choices
        row
        legend="The quota holds"
        name="mode"
        choices={MODES}
        value={form.mode}
        onChange={(mode) => set({ mode })}
      />
      <FormRow>
        <NumberInput
          label={form.mode === "per_problem" ? "Traces of a problem (K)" : "Traces chosen (K)"}
          {...limits.StartRoundIn.k}
          {...number("k")}
        />
        {!random && (
          <NumberInput label="Wrong answers, percent" {...inPercent(limits.StartRoundIn.ratio)} {...number("ratio")} />
        )}
        {control && (
          <NumberInput
            label="Random control, percent of K"
            {...inPercent(limits.StartRoundIn.control_share)}
            {...number("control_share")}
          />
        )}
      </FormRow>
      <p className={classes.explains} aria-live="polite">
        {quotaWords(form, random)}
        {control &&
          ` ${controlWords(form)} The random control is drawn first, from the same pool. You need it to see what the choice was worth.`}
      </p>
      {form.mode === "global" && <MixFields form={form} set={set} scorers={scorers} random={random} />}
      <FormRow>
        {form.mode === "global" && (
          <NumberInput
            label="At most of a problem"
            placeholder="no limit"
            {...limits.StartRoundIn.per_problem_cap}
            {...number("per_problem_cap")}
          />
        )}
        <NumberInput
          label="At most in all"
          placeholder="no limit"
          {...limits.StartRoundIn.budget}
          {...number("budget")}
        />
        <NumberInput
          label="Seed"
          description="Breaks ties and shuffles the queue."
          {...limits.StartRoundIn.seed}
          {...number("seed")}
        />
      </FormRow>
    </>
  );
}
