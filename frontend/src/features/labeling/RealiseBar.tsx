import { commandNamed } from "@/protocol/commands";
import type { Draft } from "@/protocol/draft";
import { type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { type Cursor, cursorAt, cursorTyped, ratingsTakenBack } from "@/protocol/realise";
import { Button } from "@/ui/Button";
import { countOf } from "@/ui/format";
import classes from "./RealiseBar.module.css";

interface RealiseBarProps {
  draft: Draft;
  cursor: Cursor;
  choices: KeyChoices;
  onCursor: (cursor: Cursor) => void;
  /** Called with the step that was wrong, or with null for none. */
  onEnd: (step: number | null) => void;
}

/** Replaces the bar at the bottom while the earlier wrong step is chosen: the question, and what the answer costs. */
export function RealiseBar({ draft, cursor, choices, onCursor, onEnd }: RealiseBarProps) {
  const chosen = cursor.candidate + 1;
  const cap = (name: string) => <kbd>{showKey(keysOf(commandNamed(name), choices)[0] ?? "")}</kbd>;
  const lost = ratingsTakenBack(draft, cursor).length;
  const cost = lost === 0 ? "no ratings removed" : `${countOf(lost, "rating")}  after it removed`;
  return (
    <footer className={classes.bar}>
      <strong className={classes.question}>Which earlier step is the first wrong one?</strong>
      <input
        className={classes.number}
        inputMode="numeric"
        aria-label="Number of the wrong step"
        value={cursor.typed}
        placeholder={`${chosen}`}
        onChange={(event) => onCursor(cursorTyped(cursor, event.currentTarget.value))}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.repeat) onEnd(cursor.candidate);
          if (event.key === "Escape") onEnd(null);
        }}
      />
      <span className={classes.hint}>
        type its number, or {cap("previous_step")} {cap("next_step")}
      </span>
      <span className={classes.cost}>
        {cost}
        {lost > 0 && <span className={classes.hint}>, {cap("undo")} restores them</span>}
      </span>
      <Button
        className={classes.up}
        aria-label="An earlier step"
        onClick={() => onCursor(cursorAt(cursor, cursor.candidate - 1))}
      >
        ↑
      </Button>
      <Button
        className={classes.down}
        aria-label="A later step"
        onClick={() => onCursor(cursorAt(cursor, cursor.candidate + 1))}
      >
        ↓
      </Button>
      <Button className={classes.leave} onClick={() => onEnd(null)}>
        None, back to {cursor.noticedAt + 1} <kbd>Esc</kbd>
      </Button>
      <Button className={classes.take} onClick={() => onEnd(cursor.candidate)}>
        It is step {chosen} {cap("submit")}
      </Button>
      <span className="visually-hidden" role="status">
        Step {chosen} would be the first error; {cost}.
      </span>
    </footer>
  );
}
