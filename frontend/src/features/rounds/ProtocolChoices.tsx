import type { NewRound } from "@/api/projectTypes";
import { Choices } from "@/ui/Form";

type Protocol = NewRound["protocol"];

const PROTOCOLS: { value: Protocol; name: string; means: string }[] = [
  {
    value: "",
    name: "As they are",
    means: "Agent runs are rated step by step to the end, solutions up to the first error.",
  },
  { value: "first_error", name: "Up to the first error", means: "Labeling ends at the first −1." },
  { value: "every_step", name: "Every step", means: "Rating continues after a −1, because an agent may recover." },
];

/** How the traces of a round are labeled. */
export function ProtocolChoices({ value, onChange }: { value: Protocol; onChange: (value: Protocol) => void }) {
  return (
    <Choices legend="How they are labeled" name="protocol" choices={PROTOCOLS} value={value} onChange={onChange} />
  );
}
