import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "@/ui/Button";
import classes from "./Dialog.module.css";

interface DialogProps {
  title: string;
  onClose: () => void;
  shape?: "box" | "wide" | "side";
  children: ReactNode;
}

/** The browser's own modal dialog: focus stays inside, Escape closes, and the page behind is inert. */
export function Dialog({ title, onClose, shape = "box", children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click on the backdrop closes; the key for it is Escape
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      className={`${classes.dialog} ${shape === "box" ? "" : classes[shape]}`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div className={classes.inner}>
        <div className={classes.head}>
          <h2 id={titleId}>{title}</h2>
          <Button kind="plain" aria-label="Close" onClick={onClose}>
            ✕
          </Button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
