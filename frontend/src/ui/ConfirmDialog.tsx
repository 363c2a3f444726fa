import { type FormEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ErrorNotice } from "./Notice";
import { writeOn } from "./writeOn";

interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  /** What will happen and what cannot be undone. */
  children: ReactNode;
  /** The verb of the button: "Close round". */
  confirm: string;
  danger?: boolean;
  /** The action cannot be undone: confirmed as carefully as a danger, but in the colour of ordinary actions. */
  lasting?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/**
 * Asks for confirmation before something that others will notice. Escape and "Cancel" change nothing; focus returns to
 * the button that opened it. The confirm button has the focus first, and Enter in a line of text presses it. With
 * `danger` or `lasting`, the focus is on the first field or on "Cancel" instead, and Enter in a field does nothing, so
 * a second or accidental Enter is harmless.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { opened, title, children, confirm, danger = false, lasting = false, onConfirm, onClose } = props;
  const careful = danger || lasting;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const asked = useRef<HTMLDivElement>(null);
  // Runs after the inner dialog has opened and put the focus on "Cancel".
  useLayoutEffect(() => {
    if (opened && careful) writeOn(asked.current?.querySelector<HTMLElement>("input, textarea, select"));
  }, [opened, careful]);
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
    event.stopPropagation(); // the dialog may be opened from a form
    if (!careful && !busy) void run();
  };
  if (!opened) return null;
  return (
    <Dialog onClose={close} title={title}>
      <form style={{ display: "grid", gap: 16 }} onSubmit={submit} noValidate>
        <div ref={asked}>{children}</div>
        <ErrorNotice error={error} />
        <div style={{ display: "flex", flexWrap: "wrap", gap: 10, justifyContent: "flex-end" }}>
          <Button onClick={close} data-first={careful || undefined}>
            Cancel
          </Button>
          <Button
            kind={danger ? "danger" : "primary"}
            type={careful ? "button" : "submit"}
            disabled={busy}
            onClick={careful ? () => void run() : undefined}
            data-first={!careful || undefined}
          >
            {busy ? "Working…" : confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
