/**
 * Text typed into a form and not yet submitted, kept for this tab: the form may be closed, its page left or reloaded.
 * It is deleted when the form is done, and with the tab.
 */
import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import { pageOwner } from "./client";

/** Fallback while the page is open, for when the browser stores nothing or nothing more. */
const here = new Map<string, string>();

/** The name that a key is kept under; it includes the page's owner. */
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
    // Nothing was stored.
  }
}

/**
 * State that is kept under `key` for the page's owner.
 *
 * @param initial the value if nothing is kept; only a value that differs from it is kept.
 * @returns the state, how to set it, and how to forget it once it is submitted or abandoned.
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
