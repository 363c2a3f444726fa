import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";

interface ConflictDialogProps {
  conflict: { local: { updatedAt: number }; server: { updatedAt: number } };
  onSettle: (keep: "local" | "server") => void;
}

/** The same label was worked on in two places: both versions are kept until the labeler chooses. */
export function ConflictDialog({ conflict, onSettle }: ConflictDialogProps) {
  const localIsNewer = conflict.local.updatedAt >= conflict.server.updatedAt;
  const when = (time: number) => new Date(time).toLocaleTimeString();
  return (
    <Dialog title="Two versions of this label" onClose={() => onSettle(localIsNewer ? "local" : "server")}>
      <p>
        You also worked on this label in another place. The version on <strong>this device</strong> is from{" "}
        {when(conflict.local.updatedAt)}, the one on <strong>the server</strong> from {when(conflict.server.updatedAt)}:{" "}
        {localIsNewer ? "this device’s is newer." : "the server’s is newer."} Nothing is thrown away until you choose;
        undo brings the other one back.
      </p>
      <div style={{ display: "flex", flexWrap: "wrap", gap: 10, justifyContent: "flex-end" }}>
        <Button kind={localIsNewer ? "default" : "primary"} onClick={() => onSettle("server")}>
          Keep the server’s
        </Button>
        <Button kind={localIsNewer ? "primary" : "default"} onClick={() => onSettle("local")}>
          Keep this device’s
        </Button>
      </div>
    </Dialog>
  );
}
