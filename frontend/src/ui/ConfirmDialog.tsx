import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ErrorNotice } from "./Notice";

interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  /** What will happen, and what cannot be undone. */
  children: ReactNode;
  /** The verb of the button: "Close round". */
  confirm: string;
  danger?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/**
 * Asks once before something that others will notice. Escape and "Cancel" leave all as it is; focus goes back to the
 * button. Enter in a line of text is the button, but for what is a danger: that takes the button itself.
 */
export function ConfirmDialog({ opened, title, children, confirm, danger, onConfirm, onClose }: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setError(null);
    onClose();
  };
  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // what it is asked from may be a form
    if (!danger && !busy) void run();
  };
  if (!opened) return null;
  return (
    <Dialog onClose={close} title={title}>
      <form style={{ display: "grid", gap: 16 }} onSubmit={submit} noValidate>
        <div>{children}</div>
        <ErrorNotice error={error} />
        <div style={{ display: "flex", flexWrap: "wrap", gap: 10, justifyContent: "flex-end" }}>
          <Button onClick={close}>Cancel</Button>
          <Button
            kind={danger ? "danger" : "primary"}
            type={danger ? "button" : "submit"}
            disabled={busy}
            onClick={danger ? () => void run() : undefined}
            data-first
          >
            {busy ? "Working…" : confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
