import type { Round } from "@/api/projectTypes";
import { formatDateTime } from "@/ui/format";
import { Notice } from "@/ui/Notice";

/** What you should know about a round that has not reached its labelers. */
export function RoundNotice({ round }: { round: Round }) {
  switch (round.status) {
    case "failed":
      return (
        <Notice tone="bad" title="The round stopped">
          {round.error} Everything done so far is kept. “Try again” does only what is missing.
        </Notice>
      );
    case "ready":
      return (
        <Notice tone="info" title="Ready for you to look at">
          Labelers cannot see it yet. Check what was chosen. Then publish it, or change the rules and choose again.
        </Notice>
      );
    case "paused":
      return round.with_workers ? (
        <Notice tone="warn" title="Paused">
          Workers do nothing for it until someone presses “Resume”.
        </Notice>
      ) : null;
    case "cancelled":
      return (
        <Notice tone="info" title="Cancelled">
          Labelers got none of its tasks{round.closed_at ? `; it ended ${formatDateTime(round.closed_at)}` : ""}.
          {round.staged && " Its scores are kept for the next round with the same model."}
        </Notice>
      );
    default:
      return null;
  }
}
