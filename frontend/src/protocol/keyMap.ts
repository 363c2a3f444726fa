/** The list of commands of a page, from which keys, buttons, help and remapping are all made. */
import { useEffect, useEffectEvent } from "react";
import { isCommandPress, isHeldPress, keyOf } from "./keys";

export type CommandGroup = "Rate" | "Move" | "Mistake" | "Say" | "Tools" | "Page";

/** A command's name and its default keys; `Command` adds what it does on a page. */
export interface Binding {
  name: string;
  title: string;
  /** Label for the bar at the bottom; a command without one is only in the help sheet. */
  short?: string;
  group: CommandGroup;
  /** The first is shown on buttons; the others work too until the command is remapped. */
  keys: readonly string[];
  /** Does holding the key down repeat the command? Only for moves: a heavy thumb must not say anything twice. */
  repeats?: boolean;
}

export interface Command<Bench> extends Binding {
  enabled: (bench: Bench) => boolean;
  run: (bench: Bench) => void;
}

/** The person's own keys: command name -> key. They apply on every page that has the command. */
export type KeyChoices = Readonly<Record<string, string>>;

export const NO_CHOICES: KeyChoices = {};

/** The keys of a command. A key chosen by the person replaces all default keys. */
export function keysOf(binding: Binding, choices: KeyChoices): readonly string[] {
  const chosen = choices[binding.name];
  return chosen ? [chosen] : binding.keys;
}

/** The command of the list that a key runs. */
export function commandFor<One extends Binding>(list: readonly One[], key: string, choices: KeyChoices): One | null {
  const chosen = list.find((command) => choices[command.name] === key);
  return chosen ?? list.find((command) => !choices[command.name] && command.keys.includes(key)) ?? null;
}

/** The other command of the list that already uses this key, if any. */
export function clashOf<One extends Binding>(
  list: readonly One[],
  name: string,
  key: string,
  choices: KeyChoices,
): One | null {
  return list.find((command) => command.name !== name && keysOf(command, choices).includes(key)) ?? null;
}

/** The command to run for a key press. The browser's default is prevented for every command's key. */
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

/** Run the commands of a list by their keys while the page is shown. */
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

/** Press a button only once while a key is held down; a button that gets the focus meanwhile is not pressed. */
export function useNoHeldPresses(): void {
  useEffect(() => {
    const stop = (event: KeyboardEvent) => isHeldPress(event) && event.preventDefault();
    window.addEventListener("keydown", stop, true);
    return () => window.removeEventListener("keydown", stop, true);
  }, []);
}
