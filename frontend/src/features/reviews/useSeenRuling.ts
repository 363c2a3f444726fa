import { useState } from "react";
import type { LabelDetail } from "@/api/projectTypes";
import type { Review } from "@/api/reviewTypes";

/** The ruling that settles the task; null where none does. */
export function rulingOn({ task }: Review): LabelDetail | null {
  return task.labels.find(({ status }) => status === "ruling") ?? null;
}

export interface SeenRuling {
  stands: LabelDetail | null;
  /** The id of the one that one knows of: what stood when the page was opened, what one ruled, or was told of since. */
  seen: number | null;
  setSeen: (ruling: number | null) => void;
}

/** Which ruling a reviewer knows of, beside the one that stands: another may have come while they typed. */
export function useSeenRuling(review: Review): SeenRuling {
  const stands = rulingOn(review);
  const [seen, setSeen] = useState(stands?.id ?? null);
  return { stands, seen, setSeen };
}
