import { type ToggleEvent, useId, useLayoutEffect, useRef, useState } from "react";
import classes from "./TermMark.module.css";
import { termIn } from "./termIn";

const MARGIN = 8; // px to the window's edges
const GAP = 6;

/** A quiet mark next to a heading that contains a glossary word; pressing it shows the word's meaning. */
export default function TermMark({ heading, whole }: { heading: string; whole: boolean | undefined }) {
  const term = termIn(heading, whole);
  return term ? <Mark term={term} /> : null;
}

function Mark({ term }: { term: string }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const card = useRef<HTMLSpanElement>(null);
  const [means, setMeans] = useState<string>();

  const opened = (event: ToggleEvent<HTMLElement>) => {
    if (event.newState !== "open") return;
    place(card.current, button.current);
    if (means === undefined) {
      import("virtual:glossary").then(
        ({ default: meanings }) => setMeans(meanings[term] ?? ""),
        () => setMeans("The glossary did not load. Reload the page and try again."),
      );
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the meaning differs in size from the placeholder
  useLayoutEffect(() => place(card.current, button.current), [means]);

  return (
    <span className={classes.mark}>
      <button ref={button} type="button" popoverTarget={id} aria-label={`Meaning of “${term}”`}>
        ?
      </button>
      <span ref={card} id={id} popover="auto" role="note" className={classes.card} onToggle={opened}>
        <strong>{term}</strong> <span aria-live="polite">{means ?? "…"}</span>
      </span>
    </span>
  );
}

/** Place the card within the window: under the button, or above it if there is no room. */
function place(card: HTMLElement | null, button: HTMLElement | null): void {
  if (!card || !button) return;
  card.style.left = "0"; // its width depends on the room to its right
  const at = button.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const left = Math.max(MARGIN, Math.min(at.left - GAP, window.innerWidth - width - MARGIN));
  const below = at.bottom + GAP;
  const top = below + height + MARGIN > window.innerHeight ? Math.max(MARGIN, at.top - GAP - height) : below;
  card.style.left = `${left}px`;
  card.style.top = `${top}px`;
}
