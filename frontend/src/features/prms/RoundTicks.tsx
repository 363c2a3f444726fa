import { Checkbox } from "@mantine/core";
import type { TrainingOptions } from "@/api/trainingTypes";
import { countOf } from "@/ui/format";
import classes from "./prms.module.css";

/** Which rounds' labels to take, by ids as text, with the number of labels in each. */
export function RoundTicks({
  rounds,
  chosen,
  onChange,
  error,
}: {
  rounds: TrainingOptions["rounds"];
  chosen: string[];
  onChange: (chosen: string[]) => void;
  error?: string | null;
}) {
  return (
    <Checkbox.Group label="Rounds" value={chosen} onChange={onChange} error={error}>
      <div className={classes.ticks}>
        {rounds.map((round) => (
          <Checkbox
            key={round.id}
            value={String(round.id)}
            label={round.name || `Round ${round.number}`}
            description={`${countOf(round.labels, "label")}${round.status === "labeling" ? ", still being labeled" : ""}`}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}

/** Return the ids, as text, of every round that has labels. */
export function roundsWithLabels(rounds: TrainingOptions["rounds"]): string[] {
  return rounds.filter((round) => round.labels > 0).map((round) => String(round.id));
}
