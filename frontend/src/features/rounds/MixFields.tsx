import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import * as limits from "@/api/limits";
import { inPercent } from "@/api/percent";
import type { PoolCount, Way } from "@/api/roundTypes";
import { Button } from "@/ui/Button";
import { FormRow } from "@/ui/Form";
import { Notice } from "@/ui/Notice";
import { SkeletonText } from "@/ui/states";
import { mixFaults, mixTotal, mixWords, WAYS } from "./mixForm";
import classes from "./rounds.module.css";
import { type RulesForm, rulesFormOf } from "./rulesForm";
import { REASONS } from "./selectionWords";

export type Advice = PoolCount["advice"];

interface MixFieldsProps {
  form: RulesForm;
  set: (changes: Partial<RulesForm>) => void;
  /** Scorers whose scores the PRM's can be compared with. */
  scorers: readonly { id: number; name: string }[];
  /** No PRM scores, so chance chooses what the other ways leave. */
  random: boolean;
}

/** Shares of the quota for other ways of choosing. What they leave is for convincing traces. */
export function MixFields({ form, set, scorers, random }: MixFieldsProps) {
  const faults = mixFaults(form);
  const share = (way: Way) => (
    <NumberInput
      key={way}
      label={`${REASONS[way].name}, percent`}
      description={REASONS[way].means}
      name={way}
      {...inPercent(limits.MixIn[way])}
      clampBehavior="none"
      allowDecimal={false}
      value={form[way]}
      error={faults[way]}
      onChange={(value) => set({ [way]: value === "" ? "" : Number(value) })}
    />
  );
  return (
    <fieldset className={classes.mix}>
      <legend>Other ways of choosing</legend>
      <p className={classes.explains} aria-live="polite">
        {restWords(mixTotal(form), random)}
      </p>
      {WAYS.map(share)}
      {form.disagreement !== 0 && form.disagreement !== "" && (
        <NativeSelect
          label="Held against"
          name="other"
          value={String(form.other)}
          error={faults.other}
          onChange={({ currentTarget: { value } }) => set({ other: value === "" ? "" : Number(value) })}
          data={[
            { value: "", label: "Choose…" },
            ...scorers.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      )}
      {form.like !== 0 && form.like !== "" && (
        <FormRow wide>
          <TextInput
            label="Like which traces"
            description="Enter their numbers. Or pick traces on Data and press More like these."
            name="like_traces"
            value={form.like_traces}
            error={faults.like_traces}
            onChange={({ currentTarget: { value } }) => set({ like_traces: value })}
          />
        </FormRow>
      )}
    </fieldset>
  );
}

function restWords(total: number, random: boolean): string {
  const rest = random ? "traces drawn at random" : "convincing traces";
  if (total <= 0) return `Each takes a share of the quota; 0 takes none. The rest goes to ${rest}.`;
  if (total >= 100) return `Nothing of the quota is left for ${rest}.`;
  return `${Number((100 - total).toFixed(2))} percent of the quota is left for ${rest}.`;
}

interface AdvisedMixProps extends Omit<MixFieldsProps, "scorers" | "random"> {
  advice: Advice | undefined;
  /** It is being calculated. Its space is reserved, so that no field moves while you use it. */
  coming: boolean;
}

/** The mix recommended here, and why. Without a button if the form already has it. */
export function AdvisedMix({ advice, coming, form, set }: AdvisedMixProps) {
  if (!advice) return coming ? <MixToCome /> : null;
  const advised = rulesFormOf({ ...advice.rules, budget: null, per_problem_cap: null, seed: 0 });
  const { mode, ratio, control_share } = advised;
  const has = WAYS.every((way) => (form[way] || 0) === advised[way]) && form.control_share === control_share;
  const mix = mixWords(advice.rules.mix);
  const rest = advice.code === "no_prm" ? "the rest at random" : "the rest convincing, four fifths wrong answers";
  return (
    <Notice
      tone="info"
      title={mix ? `Recommended: ${mix}, ${rest}` : "Recommended: convincing wrong answers alone"}
      actions={
        has ? undefined : (
          <Button onClick={() => set({ ...mixPart(advised), mode, ratio, control_share })}>Use it</Button>
        )
      }
    >
      {advice.text} It adds a random control of {control_share} percent.
    </Notice>
  );
}

function MixToCome() {
  return (
    <div aria-hidden inert className={classes.toCome}>
      <Notice tone="info" title={<SkeletonText characters={80} />} actions={<Button disabled>Use it</Button>}>
        <SkeletonText characters={300} />
      </Notice>
    </div>
  );
}

function mixPart(form: RulesForm): Partial<RulesForm> {
  return Object.fromEntries(WAYS.map((way) => [way, form[way]]));
}
