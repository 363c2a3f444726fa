import type { DeskThings } from "@/protocol/desk";
import classes from "./Dock.module.css";

interface ScratchPadProps {
  desk: DeskThings;
  onWrite: (text: string) => void;
  onBack: () => void;
}

/** Private notes, kept with the draft and sent to nobody; below them, the calculator's lines. */
export function ScratchPad({ desk, onWrite, onBack }: ScratchPadProps) {
  return (
    <>
      <textarea
        className={classes.pad}
        data-first
        aria-label="Scratch pad"
        value={desk.scratch}
        maxLength={100_000}
        spellCheck={false}
        onChange={(event) => onWrite(event.currentTarget.value)}
        onKeyDown={(event) => {
          const finished = event.key === "Enter" && (event.ctrlKey || event.metaKey);
          if (!finished && event.key !== "Escape") return;
          event.preventDefault();
          event.currentTarget.blur(); // now, because the next key is a command
          onBack();
        }}
      />
      <p className={classes.quiet}>
        Saved with your draft of this task; only you see it.{" "}
        <span className={classes.byKey}>
          <kbd>Esc</kbd> back to the steps
        </span>
      </p>
      {desk.calculations.length > 0 && (
        <>
          <h3 className="eyebrow">Calculated here; sent with the label</h3>
          <ul className={classes.lines}>
            {desk.calculations.map(({ input, result }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines only grow
              <li key={index}>
                {input} → {result}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
