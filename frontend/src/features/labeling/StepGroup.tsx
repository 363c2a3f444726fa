import { memo } from "react";
import { StepRow, type StepRowProps } from "./StepRow";

interface StepGroupProps {
  rows: readonly StepRowProps[];
  start: number;
  className: string | undefined;
}

/**
 * A group of steps. A key changes one or two of thousands: groups without a changed step are not compared step by step.
 */
export const StepGroup = memo(
  ({ rows, start, className }: StepGroupProps) => (
    <ol className={className} start={start} data-group>
      {rows.map((row) => (
        <StepRow key={row.step} {...row} />
      ))}
    </ol>
  ),
  (old, now) =>
    old.start === now.start &&
    old.className === now.className &&
    old.rows.length === now.rows.length &&
    old.rows.every((row, place) => same(row, now.rows[place])),
);

function same(old: StepRowProps, now: StepRowProps | undefined): boolean {
  for (const name in now)
    if (!Object.is(old[name as keyof StepRowProps], now[name as keyof StepRowProps])) return false;
  return now !== undefined;
}
