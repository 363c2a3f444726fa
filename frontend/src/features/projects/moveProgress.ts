import type { components } from "@/api/schema";

type Move = Pick<components["schemas"]["ProjectMoveOut"], "direction" | "status" | "rows_done" | "rows_total">;

const LAST = {
  take_out:
    "All rows are in the file. Now the other files are written and the rows leave the database. This may take longer.",
  bring_back: "All rows are back in the database. Now they are checked before they count. This may take longer.",
};

/** Return what a move does after its rows are through, which no count shows; null before that. */
export function lastPart(move: Move): string | null {
  const through = move.status === "running" && move.rows_total > 0 && move.rows_done >= move.rows_total;
  return through ? LAST[move.direction] : null;
}
