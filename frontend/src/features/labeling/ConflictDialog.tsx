import { useState } from "react";
import { isTyping } from "@/protocol/keys";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { formatClock } from "@/ui/format";
import parts from "./dialogParts.module.css";
import { type Difference, differencesOf, excerpt } from "./draftDifference";
import type { SavedPath } from "./pathDraft";
import type { SavedDraft } from "./submission";

interface ConflictDialogProps {
  conflict: { local: SavedDraft; server: SavedDraft } | { local: SavedPath; server: SavedPath };
  onSettle: (keep: "local" | "server") => void;
}

const SHOWN = 12;

/** Asks which copy of a label that was worked on in two places to use. Both are kept until the labeler chooses. */
export function ConflictDialog({ conflict, onSettle }: ConflictDialogProps) {
  const localIsNewer = conflict.local.updatedAt >= conflict.server.updatedAt;
  const differences = differencesOf(conflict.local.content, conflict.server.content);
  // The dialog opens on its own, so a labeler who is typing must not press one of its buttons by accident.
  const [typed] = useState(isTyping);
  const first = (newer: boolean) => (newer && !typed) || undefined;
  return (
    <Dialog title="Two versions of this label" onClose={() => onSettle(localIsNewer ? "local" : "server")}>
      <p data-first={typed || undefined} tabIndex={-1} style={{ outline: "none" }}>
        You also worked on this label elsewhere. Nothing is discarded until you choose; undo restores the other version.
      </p>
      <Differences conflict={conflict} differences={differences} localIsNewer={localIsNewer} />
      <div style={{ display: "flex", flexWrap: "wrap", gap: 10, justifyContent: "flex-end" }}>
        <Button
          data-first={first(!localIsNewer)}
          kind={localIsNewer ? "default" : "primary"}
          onClick={() => onSettle("server")}
        >
          Keep the server’s
        </Button>
        <Button
          data-first={first(localIsNewer)}
          kind={localIsNewer ? "primary" : "default"}
          onClick={() => onSettle("local")}
        >
          Keep this device’s
        </Button>
      </div>
    </Dialog>
  );
}

interface DifferencesProps {
  conflict: ConflictDialogProps["conflict"];
  differences: Difference[];
  localIsNewer: boolean;
}

function Differences({ conflict, differences, localIsNewer }: DifferencesProps) {
  const more = differences.length - SHOWN;
  const when = (time: number, newer: boolean) => `${formatClock(time)}${newer ? ", newer" : ""}`;
  return (
    <div className={parts.difference}>
      <table>
        <caption className="visually-hidden">Where the two versions differ</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">
              This device <small>{when(conflict.local.updatedAt, localIsNewer)}</small>
            </th>
            <th scope="col">
              The server <small>{when(conflict.server.updatedAt, !localIsNewer)}</small>
            </th>
          </tr>
        </thead>
        <tbody>
          {differences.slice(0, SHOWN).map(({ what, local, server }) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              <td>{excerpt(local, server)}</td>
              <td>{excerpt(server, local)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {differences.length === 0 && <p>Only the times on the steps differ.</p>}
      {more > 0 && <p>{more} more differences.</p>}
    </div>
  );
}
