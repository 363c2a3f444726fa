import { Checkbox, NumberInput } from "@mantine/core";
import { type Choice, Choices, FormRow } from "./Form";

/** How many labelers label a trace; `most` and `needed` are 0 if their number is fixed. */
export interface Overlap {
  base: number | "";
  most: number | "";
  needed: number | "";
}

interface OverlapFieldsProps {
  overlap: Overlap;
  onChange: (overlap: Overlap) => void;
  /** The server's message for a field, by the field's name without its prefix. */
  fault: (name: "overlap" | "overlap_most" | "overlap_needed") => string | undefined;
  note: string;
}

interface Design extends Choice<"fewest" | "processbench"> {
  overlap: Overlap;
}

/** The values that the switch fills in. Both designs were measured: docs/decisions/0011-two-labelers-first.md. */
const FEWEST: Design = {
  value: "fewest",
  name: "2, up to 5 until 2 agree",
  means: "As many right in total, with the fewest labels.",
  overlap: { base: 2, most: 5, needed: 2 },
};
const DESIGNS: Design[] = [
  FEWEST,
  {
    value: "processbench",
    name: "ProcessBench: 3, up to 5 until 3 agree",
    means: "Half as many labels again; settled tasks are surer.",
    overlap: { base: 3, most: 5, needed: 3 },
  },
];

function overlapAdapts({ most, needed }: Overlap): boolean {
  return most !== 0 || needed !== 0;
}

/** Turn asking more labelers on or off. One labeler has nobody to disagree with; a number of three or more is kept. */
export function withAdapting(overlap: Overlap, adapts: boolean): Overlap {
  if (!adapts) return { ...overlap, most: 0, needed: 0 };
  if (overlap.base === "" || overlap.base < 3) return FEWEST.overlap;
  return { base: overlap.base, most: Math.min(20, overlap.base + 2), needed: 3 };
}

/** The design with these numbers, if any. */
export function designOf({ base, most, needed }: Overlap): Design["value"] | "" {
  const same = ({ overlap }: Design) => overlap.base === base && overlap.most === most && overlap.needed === needed;
  return DESIGNS.find(same)?.value ?? "";
}

/** Why this overlap cannot work; null if it can. The server has the same checks. */
export function overlapFault({ base, most, needed }: Overlap): string | null {
  if (base === "" || base < 1) return "Labels per task: At least 1.";
  if (most === 0 && needed === 0) return null;
  if (most === "" || needed === "") return "Say how many labelers to ask at most, and how many must agree.";
  if (most < base) return `At most: At least the ${base} that every task gets.`;
  return needed >= 1 && needed <= most ? null : `Must agree: From 1 to ${most}.`;
}

/** "3, then up to 5 until 3 agree" */
export function overlapWords(overlap: number, most: number, needed: number): string {
  return most > 0 ? `${overlap}, then up to ${most} until ${needed} agree` : String(overlap);
}

/** Labels per task, and whether more labelers are asked one at a time if these disagree. */
export function OverlapFields({ overlap, onChange, fault, note }: OverlapFieldsProps) {
  const field = (name: keyof Overlap, of: "overlap" | "overlap_most" | "overlap_needed") => ({
    name: of,
    allowDecimal: false,
    allowNegative: false,
    min: 1,
    max: 20,
    value: overlap[name],
    error: fault(of),
    onChange: (value: number | string) => onChange({ ...overlap, [name]: value === "" ? "" : Number(value) }),
  });
  const adapts = overlapAdapts(overlap);
  return (
    <>
      <NumberInput label="Labels per task" description={note} {...field("base", "overlap")} />
      <Checkbox
        label="Ask more labelers where these differ"
        description="One at a time, until enough agree on the first error; unsettled tasks go to review."
        checked={adapts}
        onChange={(event) => onChange(withAdapting(overlap, event.currentTarget.checked))}
      />
      {adapts && (
        <>
          <Choices
            legend="How many"
            name="overlap_design"
            row
            choices={DESIGNS}
            value={designOf(overlap)}
            onChange={(value) => onChange(DESIGNS.find((design) => design.value === value)?.overlap ?? overlap)}
          />
          <FormRow>
            <NumberInput label="At most" description="Labelers in total." {...field("most", "overlap_most")} />
            <NumberInput label="Must agree" description="On the first error." {...field("needed", "overlap_needed")} />
          </FormRow>
        </>
      )}
    </>
  );
}
