/**
 * What is typed into a form and not yet said, kept for this tab: the form may be closed, its page left or loaded again.
 * It goes when the form is done, and with the tab.
 */
import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import { pageOwner } from "./client";

/** Where the browser keeps nothing, or no more: for as long as the page is open. */
const here = new Map<string, string>();

function nameOf(key: string): string {
  return `stepmark-typed:${pageOwner() ?? ""}:${key}`;
}

function read(name: string): string | null {
  const known = here.get(name);
  if (known !== undefined) return known;
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

function write(name: string, text: string): void {
  here.set(name, text);
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // Kept in the page alone.
  }
}

function forget(name: string): void {
  here.delete(name);
  try {
    sessionStorage.removeItem(name);
  } catch {
    // There was nothing.
  }
}

/**
 * State that is kept under `key`, of the person whose page it is.
 *
 * @param initial what it is where nothing is kept; kept is only what differs from it.
 * @returns the state, how to set it, and how to forget it: it is said, or nobody wants it.
 */
export function useKept<Value>(key: string, initial: Value): [Value, Dispatch<SetStateAction<Value>>, () => void] {
  const [name] = useState(() => nameOf(key));
  const [plain] = useState(() => JSON.stringify(initial));
  const [value, setValue] = useState<Value>(() => JSON.parse(read(name) ?? plain) as Value);
  const [said, setSaid] = useState(false);
  useEffect(() => {
    const text = JSON.stringify(value);
    if (said || text === plain) forget(name);
    else write(name, text);
  }, [name, plain, said, value]);
  const done = () => {
    forget(name);
    setSaid(true);
  };
  const set: Dispatch<SetStateAction<Value>> = (next) => {
    setSaid(false);
    setValue(next);
  };
  return [value, set, done];
}
