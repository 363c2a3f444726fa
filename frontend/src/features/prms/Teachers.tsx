import { Checkbox, NumberInput } from "@mantine/core";
import * as limits from "@/api/limits";
import type { TrainingOptions } from "@/api/trainingTypes";
import { countOf } from "@/ui/format";
import classes from "./prms.module.css";

const USUAL_WEIGHT = 0.3;

interface TeachersProps {
  sources: TrainingOptions["sources"];
  /** By id, for the sources that teach. */
  weights: Record<number, number>;
  onChange: (weights: Record<number, number>) => void;
}

/** Machines that may teach alongside people, each with the weight of its steps. Nothing if none has marked anything. */
export function Teachers({ sources, weights, onChange }: TeachersProps) {
  if (sources.length === 0) return null;
  const without = (id: number) => Object.fromEntries(Object.entries(weights).filter(([key]) => Number(key) !== id));
  return (
    <fieldset className={classes.teachers}>
      <legend>Machine labels, beside people’s</legend>
      <p className={classes.quiet}>
        On traces that nobody has labeled, the PRM also learns each source’s marks, up to the first error it names. They
        are never used to choose settings or to measure the PRM. It memorises these traces, so rounds that choose by it
        leave them out.
      </p>
      <ul className={classes.plain}>
        {sources.map(({ id, name, marks }) => (
          <li key={id}>
            <Checkbox
              label={`${name}: ${countOf(marks, "trace")}`}
              checked={id in weights}
              onChange={(event) =>
                onChange(event.currentTarget.checked ? { ...weights, [id]: USUAL_WEIGHT } : without(id))
              }
            />
            {id in weights && (
              <NumberInput
                label={`Weight of a step of ${name}`}
                description="A step that a person rated weighs 1."
                {...limits.TaughtBy.weight}
                step={0.1}
                decimalScale={3}
                clampBehavior="strict"
                value={weights[id] ?? USUAL_WEIGHT}
                onChange={(value) => typeof value === "number" && value > 0 && onChange({ ...weights, [id]: value })}
              />
            )}
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
