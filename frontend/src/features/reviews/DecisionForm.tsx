import { Textarea } from "@mantine/core";
import * as limits from "@/api/limits";
import type { Review } from "@/api/reviewTypes";

export interface DecisionProps {
  slug: string;
  review: Review;
  opened: boolean;
  onClose: () => void;
}

/** The reason, which is kept in the audit log. */
export function Reason({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Textarea
      label="Reason"
      required
      withAsterisk={false}
      autosize
      minRows={2}
      {...limits.ReasonIn.reason}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
