import type { Mix, Way } from "@/api/roundTypes";
import { REASONS } from "./selectionWords";

/** Shares of a mix as typed, in percent; `""` for an empty field. */
export interface MixForm extends Record<Way, number | ""> {
  /** The scorer that the PRM is compared with. */
  other: number | "";
  /** Numbers of traces, with any separators between them. */
  like_traces: string;
}

export const NO_MIX: MixForm = {
  unsure: 0,
  wavering: 0,
  disagreement: 0,
  typical: 0,
  like: 0,
  other: "",
  like_traces: "",
};

/** Ways of choosing other than convincing wrong answers, in the form's order. */
export const WAYS: Way[] = ["unsure", "wavering", "disagreement", "typical", "like"];

export const LEAST_CONTROL = 5;
const MOST_NAMED = 100;

const typed = (value: number | "") => (value === "" ? 0 : value);

/** Return whether a typed value is a share in percent. An empty field is not. */
export const isPercent = (value: number | "", most: number) => value !== "" && value >= 0 && value <= most;

export function mixTotal(form: MixForm): number {
  return WAYS.reduce((sum, way) => sum + typed(form[way]), 0);
}

function tracesNamed({ like_traces }: MixForm): number[] {
  return [...new Set((like_traces.match(/\d+/g) ?? []).map(Number))].filter((id) => id > 0);
}

/** Return what is wrong with each field of the mix, as text. A correct field has no entry. */
export function mixFaults(form: MixForm): Partial<Record<keyof MixForm, string>> {
  const faults: Partial<Record<keyof MixForm, string>> = {};
  const asked = WAYS.filter((way) => typed(form[way]) > 0);
  for (const way of WAYS) if (!isPercent(typed(form[way]), 100)) faults[way] = "From 0 to 100.";
  const last = asked.at(-1);
  if (last && mixTotal(form) > 100) faults[last] ??= "Together they exceed 100 percent.";
  if (asked.includes("disagreement") && form.other === "") faults.other = "Choose one.";
  if (asked.includes("like")) {
    const named = tracesNamed(form).length;
    if (named === 0) faults.like_traces = "Enter the number of at least one trace.";
    if (named > MOST_NAMED) faults.like_traces = `At most ${MOST_NAMED}.`;
  }
  return faults;
}

/** Return the mix to send. */
export function mixOf(form: MixForm): Mix {
  const share = (way: Way) => Number((typed(form[way]) / 100).toFixed(6));
  return {
    unsure: share("unsure"),
    wavering: share("wavering"),
    disagreement: share("disagreement"),
    typical: share("typical"),
    like: share("like"),
    other: share("disagreement") > 0 && form.other !== "" ? form.other : null,
    like_traces: share("like") > 0 ? tracesNamed(form) : [],
  };
}

/** Return the form for a round's existing mix. */
export function mixFormOf(mix: Partial<Mix> | undefined): MixForm {
  const percent = (way: Way) => Number(((mix?.[way] ?? 0) * 100).toFixed(4));
  return {
    unsure: percent("unsure"),
    wavering: percent("wavering"),
    disagreement: percent("disagreement"),
    typical: percent("typical"),
    like: percent("like"),
    other: mix?.other ?? "",
    like_traces: (mix?.like_traces ?? []).join(", "),
  };
}

/** "30 % unsure steps, 20 % typical of their kind"; empty if nothing is mixed in. */
export function mixWords(mix: Partial<Mix> | undefined): string {
  const parts = WAYS.filter((way) => (mix?.[way] ?? 0) > 0).map(
    (way) => `${Number(((mix?.[way] ?? 0) * 100).toFixed(2))} % ${REASONS[way].name.toLowerCase()}`,
  );
  return parts.join(", ");
}
