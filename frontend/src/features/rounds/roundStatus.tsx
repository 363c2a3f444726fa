import type { Round, RoundStatus } from "@/api/projectTypes";
import { StatusMark, type StatusTone } from "@/ui/StatusMark";

/** The other statuses belong to workers' stages and are shown under their own names. */
const STATUSES: Partial<Record<RoundStatus, { name: string; tone: StatusTone }>> = {
  draft: { name: "draft", tone: "quiet" },
  ready: { name: "ready to publish", tone: "held" },
  labeling: { name: "labeling", tone: "busy" },
  paused: { name: "paused", tone: "held" },
  closed: { name: "closed", tone: "good" },
  cancelled: { name: "cancelled", tone: "quiet" },
  failed: { name: "failed", tone: "bad" },
  screening: { name: "screening", tone: "quiet" },
};

export function RoundStatusMark({ round }: { round: Pick<Round, "status" | "imported"> }) {
  if (round.imported) return <StatusMark tone="quiet">imported</StatusMark>;
  const { name, tone } = STATUSES[round.status] ?? { name: round.status, tone: "busy" };
  return <StatusMark tone={tone}>{name}</StatusMark>;
}

export function roundName(round: Pick<Round, "name" | "number">): string {
  return round.name || `Round ${round.number}`;
}
