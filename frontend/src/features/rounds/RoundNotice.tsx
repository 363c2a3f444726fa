import type { Round } from "@/api/projectTypes";
import { formatDateTime } from "@/ui/format";
import { Notice } from "@/ui/Notice";

/** What a person should know of a round that has not reached its labelers. */
export function RoundNotice({ round }: { round: Round }) {
  switch (round.status) {
    case "failed":
      return (
        <Notice tone="bad" title="The round stopped">
          {round.error} Everything done so far is kept: “Try again” does only what is missing.
        </Notice>
      );
    case "ready":
      return (
        <Notice tone="info" title="Ready for you to look at">
          Labelers see none of it yet. Look at what was chosen; change the rules and choose again, or publish it.
        </Notice>
      );
    case "paused":
      return round.with_workers ? (
        <Notice tone="warn" title="Paused">
          Workers leave it alone until somebody presses “Resume”.
        </Notice>
      ) : null;
    case "cancelled":
      return (
        <Notice tone="info" title="Cancelled">
          Nothing of it reached a labeler{round.closed_at ? `; it ended ${formatDateTime(round.closed_at)}` : ""}.
          {round.staged && " Its scores are kept for the next round with the same model."}
        </Notice>
      );
    default:
      return null;
  }
}
