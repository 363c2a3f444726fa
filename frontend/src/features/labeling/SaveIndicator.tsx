import { countOf } from "@/ui/format";
import type { SaveState } from "./draftSaver";
import classes from "./layout.module.css";

export interface SaveIndicatorProps {
  state: SaveState;
  detail: string;
  /** Whether there is anything to save yet. */
  hasWork: boolean;
  /** The number of submissions that the server has not answered. */
  queued: number;
  unreachable: boolean;
  /** Whether this device can keep the work on its own. */
  durable: boolean;
}

/**
 * Where the work is, in words that stay true without a network. `online`: connected, but the server does not answer.
 */
export function saveWords(props: SaveIndicatorProps, online = false): { state: string; words: string } {
  const { state, hasWork, queued, unreachable, durable } = props;
  const away = online ? "server trouble" : "offline";
  const waits = queued > 0 ? `, ${countOf(queued, "submission")} waiting` : "";
  if (state === "refused") return { state: "refused", words: "not saved on the server, kept here" };
  if (state === "offline" || unreachable) {
    if (!durable) return { state: "offline", words: `${away}: keep this tab open${waits}` };
    return { state: "offline", words: `${away}, kept on this device${waits}` };
  }
  if (state === "waiting" || state === "saving") return { state: "saving", words: "saving…" };
  if (queued > 0) return { state: "saving", words: "sending…" };
  return { state: "saved", words: hasWork ? "saved" : "" };
}

export function SaveIndicator(props: SaveIndicatorProps) {
  const { state, words } = saveWords(props, navigator.onLine);
  if (words === "") return null;
  return (
    <span className={classes.save} data-state={state} title={props.detail || undefined}>
      {words}
    </span>
  );
}
