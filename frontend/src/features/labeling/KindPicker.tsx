import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { Clause, ErrorKind } from "@/api/types";
import classes from "./MistakeCard.module.css";

interface Choice {
  field: "kind" | "clause";
  value: string;
  title: string;
  about: string;
}

interface KindPickerProps {
  kinds: readonly ErrorKind[];
  clauses: readonly Clause[];
  onPick: (field: "kind" | "clause", value: string) => void;
  onClose: () => void;
}

function choicesOf(kinds: readonly ErrorKind[], clauses: readonly Clause[]): Choice[] {
  return [
    ...kinds.map(({ code, title, about }): Choice => ({ field: "kind", value: code, title, about })),
    ...clauses.map(({ number, text }): Choice => ({ field: "clause", value: number, title: number, about: text })),
  ];
}

/** Every typed word must appear in the choice: in its name, its code or its description. */
function fits(choice: Choice, typed: string): boolean {
  const text = `${choice.title} ${choice.value} ${choice.about}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function placeholderOf(kinds: readonly ErrorKind[], clauses: readonly Clause[]): string {
  if (kinds.length === 0) return "Type to find a clause of the guidelines";
  return clauses.length > 0 ? "Type to find a kind, or § for a clause" : "Type to find a kind";
}

/** Kinds of mistakes and clauses of the guidelines in one list. Type to filter, ↑ ↓ and ↵ choose, Esc leaves. */
export function KindPicker({ kinds, clauses, onPick, onClose }: KindPickerProps) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const found = choicesOf(kinds, clauses).filter((choice) => fits(choice, typed.trim()));
  const chosen = Math.min(at, found.length - 1);

  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps the chosen line in sight
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen, typed]);

  const press = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const by = moves[event.key];
    const choice = found[chosen];
    if (by) setAt(Math.max(0, Math.min(found.length - 1, chosen + by)));
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.repeat && choice)
      onPick(choice.field, choice.value);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={classes.picker}>
      <input
        // biome-ignore lint/a11y/noAutofocus: it was opened to be typed in
        autoFocus
        className={classes.field}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={found[chosen] ? `${id}-${chosen}` : undefined}
        aria-label="Kind of mistake, or a clause of the guidelines"
        placeholder={placeholderOf(kinds, clauses)}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
        onBlur={onClose}
      />
      {found.length > 0 ? (
        <div className={classes.options} id={id} ref={list} role="listbox" aria-label="Kinds and clauses">
          {found.map((choice, index) => (
            <div
              key={`${choice.field} ${choice.value}`}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              className={classes.option}
              onMouseDown={(event) => {
                event.preventDefault();
                onPick(choice.field, choice.value);
              }}
            >
              <span>{choice.title}</span>
              {choice.about !== "" && <small>{choice.about}</small>}
            </div>
          ))}
        </div>
      ) : (
        <p className={classes.quiet} id={id} role="status">
          {typed === "" ? "This round has no list of kinds, and the guidelines have no numbered clauses." : "No match."}
        </p>
      )}
    </div>
  );
}
