import { useState } from "react";
import type { LabelDetail } from "@/api/projectTypes";
import type { Review } from "@/api/reviewTypes";

/** Return the ruling that settles the task, or null if there is none. */
export function rulingOn({ task }: Review): LabelDetail | null {
  return task.labels.find(({ status }) => status === "ruling") ?? null;
}

export interface SeenRuling {
  stands: LabelDetail | null;
  /**
   * The id of the ruling you know of: the one in force when the page opened, your own, or one you were told of since.
   */
  seen: number | null;
  setSeen: (ruling: number | null) => void;
}

/** The ruling that a reviewer knows of, along with the one in force: another may have been made while they typed. */
export function useSeenRuling(review: Review): SeenRuling {
  const stands = rulingOn(review);
  const [seen, setSeen] = useState(stands?.id ?? null);
  return { stands, seen, setSeen };
}
