import { NumberInput, type NumberInputProps } from "@mantine/core";
import { fieldFault } from "@/api/fieldFaults";
import * as limits from "@/api/limits";
import { OverlapFields } from "@/ui/OverlapFields";

interface QueuedForm {
  overlap: number | "";
  overlap_most: number | "";
  overlap_needed: number | "";
}

interface QueueFieldsProps {
  form: QueuedForm;
  set: (changes: QueuedForm) => void;
  /** The server's refusal. */
  error: unknown;
  /** The properties that connect a number field to its form. */
  number: (name: "priority") => NumberInputProps;
}

/** How a round's tasks are handed out, however they were chosen. */
export function QueueFields({ form, set, error, number }: QueueFieldsProps) {
  return (
    <>
      <OverlapFields
        note="Each by a different labeler."
        overlap={{ base: form.overlap, most: form.overlap_most, needed: form.overlap_needed }}
        fault={(name) => fieldFault(error, name)}
        onChange={({ base, most, needed }) => set({ overlap: base, overlap_most: most, overlap_needed: needed })}
      />
      <NumberInput
        label="Priority"
        description="Rounds with a higher priority are served first."
        {...limits.OpenRoundIn.priority}
        {...number("priority")}
      />
    </>
  );
}
