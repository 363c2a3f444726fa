import { Fragment, useEffect, useState } from "react";
import { pathCommands } from "@/protocol/choose_step/commands";
import { commands } from "@/protocol/commands";
import type { LabelingProtocol } from "@/protocol/interface";
import { type Binding, type CommandGroup, clashOf, type KeyChoices, keysOf } from "@/protocol/keyMap";
import { isAssignable, keyOf, showKey } from "@/protocol/keys";
import { progressCommands } from "@/protocol/mistakeCommands";
import { Button } from "@/ui/Button";
import dialogClasses from "./dialogParts.module.css";
import classes from "./HelpSheet.module.css";

/** The commands of the page that labels whole traces. */
export const LABELING: readonly Binding[] = [...progressCommands, ...commands];

/** A key applies to every page that has its command. */
const PAGES: readonly (readonly Binding[])[] = [LABELING, pathCommands];

const GROUPS: CommandGroup[] = ["Rate", "Move", "Mistake", "Say", "Tools", "Page"];

interface HelpSheetProps {
  /** The protocol of the label on the desk, which defines what a rating means; absent without a label. */
  protocol?: LabelingProtocol;
  /** The commands of the page. */
  list?: readonly Binding[];
  choices: KeyChoices;
  onChange: (choices: KeyChoices) => void;
}

/** Every command with its keys, built from the command list. Changing a key is a separate mode. */
export function HelpSheet({ protocol, list = LABELING, choices, onChange }: HelpSheetProps) {
  const [editing, setEditing] = useState(false);
  const [changing, setChanging] = useState<Binding | null>(null);
  const [message, setMessage] = useState("");

  useEffect(() => {
    if (!changing) return;
    const take = (event: KeyboardEvent) => {
      if (event.key === "Shift") return;
      event.preventDefault();
      event.stopPropagation();
      const key = keyOf(event);
      const refusal = event.key === "Escape" ? "" : refusalOf(event, changing, key, choices);
      setMessage(refusal);
      if (event.key === "Escape") setChanging(null);
      if (refusal !== "" || event.key === "Escape") return;
      onChange({ ...choices, [changing.name]: key });
      setMessage(`“${changing.title}” is now on ${showKey(key)}.`);
      setChanging(null);
    };
    window.addEventListener("keydown", take, true);
    return () => window.removeEventListener("keydown", take, true);
  }, [changing, choices, onChange]);

  return (
    <>
      {protocol && (
        <p className={dialogClasses.quiet}>
          +1: correct, can be checked in about 30 seconds, advances the solution. 0: correct, but no progress. −1:
          wrong, cannot be checked, off topic or a dead end: {protocol.words.atMinus}.
        </p>
      )}
      <div className={classes.footer}>
        <p role="status" className={dialogClasses.quiet}>
          {changing && message === "" ? `Press the new key for “${changing.title}”, or Escape.` : message}
        </p>
        {editing && (
          <Button kind="plain" disabled={Object.keys(choices).length === 0} onClick={() => onChange({})}>
            Reset all keys
          </Button>
        )}
        <Button
          onClick={() => {
            setEditing(!editing);
            setChanging(null);
            setMessage("");
          }}
        >
          {editing ? "Done" : "Change keys"}
        </Button>
      </div>
      <div className={classes.groups}>
        {GROUPS.map((group) => (
          <div key={group} className={classes.group}>
            <h3 className="eyebrow">{group}</h3>
            {list
              .filter((command) => command.group === group)
              .map((command) => (
                <KeyRow
                  key={command.name}
                  command={command}
                  choices={choices}
                  editing={editing}
                  waiting={changing === command}
                  onStart={() => {
                    setMessage("");
                    setChanging(command);
                  }}
                />
              ))}
          </div>
        ))}
      </div>
    </>
  );
}

function refusalOf(event: KeyboardEvent, command: Binding, key: string, choices: KeyChoices): string {
  if (event.ctrlKey || event.altKey || event.metaKey || !isAssignable(key)) {
    return "The browser uses that key. Press another one, or Escape.";
  }
  const clash = PAGES.filter((list) => list.some(({ name }) => name === command.name))
    .map((list) => clashOf(list, command.name, key, choices))
    .find((found) => found !== null);
  return clash ? `${showKey(key)} is taken by “${clash.title}”. Press another key, or change that one first.` : "";
}

interface KeyRowProps {
  command: Binding;
  choices: KeyChoices;
  editing: boolean;
  waiting: boolean;
  onStart: () => void;
}

function KeyRow({ command, choices, editing, waiting, onStart }: KeyRowProps) {
  return (
    <div className={classes.row}>
      <span>{command.title}</span>
      <span className={classes.keys}>
        {waiting ? (
          <span className={classes.waiting}>press a key…</span>
        ) : (
          keysOf(command, choices).map((key) => (
            <Fragment key={key}>
              <kbd>{showKey(key)}</kbd>
            </Fragment>
          ))
        )}
      </span>
      {editing && (
        <Button className={classes.change} onClick={onStart} aria-label={`Change the key of: ${command.title}`}>
          Change
        </Button>
      )}
    </div>
  );
}
