import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Dialog.module.css";

interface DialogProps {
  opened: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** For something to read rather than a question. */
  wide?: boolean;
}

/** A question or a form over the page. Escape closes it, focus stays inside and goes back where it was. */
export function Dialog({ opened, title, onClose, children, wide }: DialogProps) {
  return (
    <Modal.Root opened={opened} onClose={onClose} centered returnFocus size={wide ? 720 : "md"}>
      <Modal.Overlay />
      <Modal.Content radius={14}>
        <div className={classes.head}>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body className={classes.body}>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
