import { Button } from "@/ui/Button";
import type { PathState } from "./keptPath";
import { LeaseBanner } from "./LeaseBanner";
import classes from "./layout.module.css";
import type { PathSession } from "./pathSession";

const SURPLUS =
  "Your lease ran out, and somebody else has the slot, your work is paused, or the round was closed. Your path is kept, and may still be " +
  "finished as an extra label.";

/** What the labeler should know before going on: how it ends, the lease, and where a step is. */
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
        lost="Your lease ran out. Your path is kept; asking for the slot again…"
        onResume={() => void session.resume()}
      />
      {path === null && !unreachable && <p role="status">Looking where the path stands.</p>}
    </>
  );
}

/** The work is safe; what waits is said by name. */
function offlineWords({ path, content }: PathState): string {
  const away = navigator.onLine ? "The server does not answer as it should." : "No connection.";
  if (content.sending)
    return `${away} Your step is kept here and sent when the server answers; the next one comes then.`;
  if (path === null) return `${away} The path appears here by itself when the server answers.`;
  return `${away} What is on the screen can be rated; the next step waits until the server answers.`;
}
