import { useState } from "react";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { formatDuration } from "@/ui/format";
import { useNow } from "@/ui/useNow";
import dialogClasses from "./dialogParts.module.css";

/** The clock is stopped while this dialog is open. */
export function BreakDialog({ onClose }: { onClose: () => void }) {
  const [since] = useState(Date.now);
  const minutes = Math.floor((useNow(10_000) - since) / 60_000);
  return (
    <Dialog title="A break" onClose={onClose}>
      <p className={dialogClasses.quiet}>
        The clock is stopped and your work is saved. The task is yours until its lease expires. After that your work is
        kept, and counts if nobody else has taken the task.
      </p>
      <p className="tabular">{minutes < 1 ? "Just started." : `${formatDuration(minutes * 60_000)} so far.`}</p>
      <div className={dialogClasses.actions}>
        <Button kind="primary" data-first onClick={onClose}>
          Go on
        </Button>
      </div>
    </Dialog>
  );
}
