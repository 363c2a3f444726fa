/**
 * What is typed into a form and not yet said, kept for this tab: the form may be closed, its page left or loaded again.
 * It goes when the form is done, and with the tab.
 */
import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import { pageOwner } from "./client";

/** Where the browser keeps nothing, or no more: for as long as the page is open. */
const here = new Map<string, string>();

/** Under which name it is kept: of the person whose page it is. */
export function keptName(key: string): string {
  return `stepmark-typed:${pageOwner() ?? ""}:${key}`;
}

export function readKept(name: string): string | null {
  const known = here.get(name);
  if (known !== undefined) return known;
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

export function isKept(key: string): boolean {
  return readKept(keptName(key)) !== null;
}

export function writeKept(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text);
    here.delete(name);
  } catch {
    here.set(name, text);
  }
}

export function forgetKept(name: string): void {
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
  const [name] = useState(() => keptName(key));
  const [plain] = useState(() => JSON.stringify(initial));
  const [value, setValue] = useState<Value>(() => JSON.parse(readKept(name) ?? plain) as Value);
  const [said, setSaid] = useState(false);
  useEffect(() => {
    const text = JSON.stringify(value);
    if (said || text === plain) forgetKept(name);
    else writeKept(name, text);
  }, [name, plain, said, value]);
  const done = () => {
    forgetKept(name);
    setSaid(true);
  };
  const set: Dispatch<SetStateAction<Value>> = (next) => {
    setSaid(false);
    setValue(next);
  };
  return [value, set, done];
}
