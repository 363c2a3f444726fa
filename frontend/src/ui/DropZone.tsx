import { type DragEvent, useId, useRef, useState } from "react";
import { Button } from "./Button";
import classes from "./DropZone.module.css";
import { formatBytes } from "./format";

interface DropZoneProps {
  label: string;
  /** The text for what may be dropped. */
  hint: string;
  file: File | null;
  disabled?: boolean;
  onChoose: (file: File) => void;
}

/** Drop a file here or pick one; from the keyboard, use the button. */
export function DropZone({ label, hint, file, disabled, onChoose }: DropZoneProps) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const allow = (event: DragEvent) => {
    event.preventDefault();
    setOver(!disabled);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const dropped = event.dataTransfer.files[0];
    if (dropped && !disabled) onChoose(dropped);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside is the keyboard equivalent of dropping
    <div className={classes.zone} data-over={over} onDragOver={allow} onDragLeave={() => setOver(false)} onDrop={drop}>
      <input
        id={id}
        ref={input}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={label}
        disabled={disabled}
        onChange={(event) => {
          const chosen = event.currentTarget.files?.[0];
          if (chosen) onChoose(chosen);
          event.currentTarget.value = "";
        }}
      />
      {file ? (
        <p className={classes.file}>
          <strong>{file.name}</strong>
          <span>{formatBytes(file.size)}</span>
        </p>
      ) : (
        <p className={classes.hint}>{hint}</p>
      )}
      <Button disabled={disabled} onClick={() => input.current?.click()}>
        {file ? "Choose another file" : "Choose a file"}
      </Button>
    </div>
  );
}
