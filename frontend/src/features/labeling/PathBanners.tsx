import { Button } from "@/ui/Button";
import type { PathState } from "./keptPath";
import { LeaseBanner } from "./LeaseBanner";
import classes from "./layout.module.css";
import type { PathSession } from "./pathSession";

const SURPLUS =
  "Your slot is gone: it was taken, you are paused, or the round was closed. Your path is kept. " +
  "You can still finish it as an extra label.";

/** What the labeler should know before continuing: how the path ends, the lease, and where a sent step is. */
export function PathBanners({ session, state }: { session: PathSession; state: PathState }) {
  const { path, content, unreachable } = state;
  return (
    <>
      {content.ending && (
        <div className={`${classes.banner} ${classes.warn}`}>
          <span>
            {content.ending.finish === "give_up" ? "Giving up" : "Bad problem"}: {content.ending.text}
          </span>
          <Button onClick={() => session.note({ ending: null })}>Take it back</Button>
        </div>
      )}
      {unreachable && (
        <div className={classes.banner} role="status">
          <span>{offlineWords(state)}</span>
        </div>
      )}
      <LeaseBanner
        lease={state.lease}
        detail={state.leaseDetail}
        surplus={SURPLUS}
        lost="Your lease expired. Your path is kept; asking for the slot again…"
        onResume={() => void session.resume()}
      />
      {path === null && !unreachable && <p role="status">Loading the path…</p>}
    </>
  );
}

/** Say that the work is safe, and name what is waiting to be sent. */
function offlineWords({ path, content }: PathState): string {
  const away = navigator.onLine ? "The server is not responding properly." : "No connection.";
  if (content.sending)
    return `${away} Your step is kept here and sent when the server answers; then the next one follows.`;
  if (path === null) return `${away} The path appears when the server answers.`;
  return `${away} You can rate what is on the screen; the next step waits for the server.`;
}
