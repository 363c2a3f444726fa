import { TextInput } from "@mantine/core";
import type { Period } from "./period";

interface PeriodFieldsProps extends Period {
  onChange: (changes: Partial<Period>) => void;
  /** The first word of both labels. */
  name?: string;
}

/** The first and last day of a period; neither can pass the other. */
export function PeriodFields({ since, until, onChange, name = "On" }: PeriodFieldsProps) {
  return (
    <>
      <TextInput
        type="date"
        label={`${name} or after`}
        value={since}
        max={until || undefined}
        onChange={(event) => onChange({ since: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={`${name} or before`}
        value={until}
        min={since || undefined}
        onChange={(event) => onChange({ until: event.currentTarget.value })}
      />
    </>
  );
}
