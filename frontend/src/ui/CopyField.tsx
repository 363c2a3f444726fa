import { useState } from "react";
import { Button } from "./Button";
import classes from "./CopyField.module.css";

/** Put text on the clipboard; false if the browser refuses (no HTTPS, no permission). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // The caller selects the text instead, so that Ctrl-C does it.
  }
}

/** A button that copies `text` and says so. */
export function CopyButton({ text, children = "Copy" }: { text: string; children?: string }) {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  const copy = async () => {
    setState((await copyText(text)) ? "copied" : "refused");
    setTimeout(() => setState("idle"), 2_500);
  };
  const said = { idle: children, copied: "Copied", refused: "Copying is blocked here" }[state];
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">{said}</span>
    </Button>
  );
}

/** A value to copy: a link, a token, a hash. It is selected as a whole on focus. */
export function CopyField({ label, value }: { label: string; value: string }) {
  return (
    <div className={classes.field}>
      <input
        aria-label={label}
        readOnly
        value={value}
        spellCheck={false}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={value} />
    </div>
  );
}
