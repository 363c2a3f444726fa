import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { useKept } from "@/api/keptText";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import classes from "./dialogParts.module.css";

interface TextDialogProps {
  title: string;
  /** The name under which an unfinished text is kept: it identifies the label and the question. */
  keep: string;
  intro?: ReactNode;
  field: string;
  initial?: string;
  /** Whether the text may stay empty. */
  optional?: boolean;
  action: string;
  /** The text of the button that goes back without doing it. */
  back?: string;
  children?: ReactNode;
  /** The question before the text already has its answer, so the keyboard focus starts in the text. */
  answered?: boolean;
  /** What else is missing besides the text, as a message. */
  problem?: string;
  remove?: () => void;
  onDone: (text: string) => void;
  onClose: () => void;
}

/** One text and one button. Ctrl+Enter presses the button from inside the text. */
export function TextDialog(props: TextDialogProps) {
  const {
    title,
    keep,
    intro,
    field,
    initial = "",
    optional,
    action,
    back = "Cancel",
    children,
    answered = !children,
    problem,
    remove,
    onDone,
    onClose,
  } = props;
  const [text, setText, forget] = useKept(keep, initial);
  const [tried, setTried] = useState(false);
  const faultId = useId();
  const fault = problem ?? (!optional && text.trim() === "" ? "Say why, in a few words." : undefined);
  const finish = () => {
    setTried(true);
    if (fault) return;
    forget();
    onDone(text.trim());
  };
  const submitted = (event: FormEvent) => {
    event.preventDefault();
    finish();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      finish();
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submitted} onKeyDown={pressed} className={classes.form}>
        {intro && <div className={classes.quiet}>{intro}</div>}
        {children}
        <label className={classes.field}>
          {field}
          <textarea
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maxLength={20_000}
            aria-describedby={tried && fault ? faultId : undefined}
            aria-invalid={tried && fault !== undefined}
            data-first={answered || undefined}
          />
        </label>
        {tried && fault && (
          <p id={faultId} className={classes.fault} role="alert">
            {fault}
          </p>
        )}
        <div className={classes.actions}>
          {remove && (
            <Button
              kind="plain"
              onClick={() => {
                forget();
                remove();
              }}
            >
              Take it back
            </Button>
          )}
          <Button onClick={onClose}>{back}</Button>
          <Button kind="primary" type="submit">
            {action} <kbd>Ctrl ↵</kbd>
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
