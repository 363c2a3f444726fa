import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { Button } from "./Button";
import classes from "./Dialog.module.css";
import { writeOn } from "./writeOn";

interface DialogProps {
  title: string;
  onClose: () => void;
  shape?: "box" | "wide" | "side" | "drawer";
  children: ReactNode;
}

/**
 * A question, a form or something to read over the page. It is the browser's own modal dialog: focus stays inside and
 * returns to where it was, Escape and a click outside close it, and the page behind is inert. The element marked
 * `data-first` gets the focus first. The dialog is open while it is mounted; it may be opened from a form or a table
 * cell.
 */
export function Dialog({ title, onClose, shape = "box", children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Close it while it is still in the document: removing an open dialog leaves the focus nowhere.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    writeOn(dialog?.querySelector<HTMLElement>("[data-first]"));
    return () => dialog?.close();
  }, []);
  const pressedBeside = (event: MouseEvent) => event.target === ref.current && onClose();
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click on the backdrop closes; the key for it is Escape
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      className={`${classes.dialog} ${shape === "box" ? "" : classes[shape]}`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={pressedBeside}
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
    </dialog>,
    document.body,
  );
}
