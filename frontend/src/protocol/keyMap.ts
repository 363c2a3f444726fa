/** What a person can do at a page, as one list; keys, buttons, help and remapping are all made from it. */
import { useEffect, useEffectEvent } from "react";
import { isCommandPress, isHeldPress, keyOf } from "./keys";

export type CommandGroup = "Rate" | "Move" | "Mistake" | "Say" | "Tools" | "Page";

/** What a command is called and which keys are its own; `Command` says what it does at a page. */
export interface Binding {
  name: string;
  title: string;
  /** For the bar at the bottom; a command without one is only in the help sheet. */
  short?: string;
  group: CommandGroup;
  /** The first is shown on buttons; the others work too until the command is remapped. */
  keys: readonly string[];
  /** Does a key that is held down run it again? Only what moves does: a heavy thumb must not say anything twice. */
  repeats?: boolean;
}

export interface Command<Bench> extends Binding {
  enabled: (bench: Bench) => boolean;
  run: (bench: Bench) => void;
}

/** The person's own keys: command name -> key. They hold on every page that has the command. */
export type KeyChoices = Readonly<Record<string, string>>;

export const NO_CHOICES: KeyChoices = {};

/** The keys of a command; the person's choice takes the place of all default keys. */
export function keysOf(binding: Binding, choices: KeyChoices): readonly string[] {
  const chosen = choices[binding.name];
  return chosen ? [chosen] : binding.keys;
}

/** Which command of the list a key is for. */
export function commandFor<One extends Binding>(list: readonly One[], key: string, choices: KeyChoices): One | null {
  const chosen = list.find((command) => choices[command.name] === key);
  return chosen ?? list.find((command) => !choices[command.name] && command.keys.includes(key)) ?? null;
}

/** The other command of the list that already has this key, if any. */
export function clashOf<One extends Binding>(
  list: readonly One[],
  name: string,
  key: string,
  choices: KeyChoices,
): One | null {
  return list.find((command) => command.name !== name && keysOf(command, choices).includes(key)) ?? null;
}

/** The command to run for a key press; the press of any command's key is taken from the browser. */
export function commandPressed<One extends Binding>(
  list: readonly One[],
  event: KeyboardEvent,
  choices: KeyChoices,
): One | null {
  const command = isCommandPress(event) ? commandFor(list, keyOf(event), choices) : null;
  if (!command) return null;
  event.preventDefault();
  return event.repeat && !command.repeats ? null : command;
}

/** Run the commands of a list by their keys, as long as the page is shown. */
export function useCommandKeys<Bench>(list: readonly Command<Bench>[], choices: KeyChoices, bench: Bench): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const command = commandPressed(list, event, choices);
    if (command?.enabled(bench)) command.run(bench);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
  useNoHeldPresses();
}

/** A key that is held down presses a button once, also one that comes under it meanwhile. */
export function useNoHeldPresses(): void {
  useEffect(() => {
    const stop = (event: KeyboardEvent) => isHeldPress(event) && event.preventDefault();
    window.addEventListener("keydown", stop, true);
    return () => window.removeEventListener("keydown", stop, true);
  }, []);
}
