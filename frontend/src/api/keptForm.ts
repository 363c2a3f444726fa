/**
 * State for forms that take more than a moment to fill: what was typed and chosen is kept for this tab, as `keptText`
 * keeps a text, until the form is sent or abandoned. The labeling page has no such form and does not load this.
 */
import { useEffect, useRef, useState } from "react";
import { forgetKept, keptName, readKept, writeKept } from "./keptText";

/** Each field as a list of its one value. JSON has no `undefined`, so an empty list represents it. */
type KeptFields = Record<string, unknown[]>;

/** The fields that differ from the initial form. */
export function changedFields<Form extends object>(initial: Form, form: Form): KeptFields {
  const began = initial as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(form)
      .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(began[name]))
      .map(([name, value]) => [name, value === undefined ? [] : [value]]),
  );
}

/**
 * The entries of `kept` whose field exists in `initial` with a value of the same kind. The rest comes from another
 * build or is invalid.
 */
export function fittingFields<Form extends object>(initial: Form, kept: object): Partial<Form> {
  const fitting = Object.entries(kept).filter(
    ([name, value]) => Object.hasOwn(initial, name) && isOfKind((initial as Record<string, unknown>)[name], value),
  );
  return Object.fromEntries(fitting) as Partial<Form>;
}

/** The form with the kept fields restored; the initial form if they cannot be read. */
export function formOfKept<Form extends object>(initial: Form, text: string | null): Form {
  const kept = Object.entries(parsed(text)).filter(([, value]) => Array.isArray(value) && value.length < 2);
  const fields = Object.fromEntries(kept.map(([name, value]) => [name, (value as unknown[])[0]]));
  return { ...initial, ...fittingFields(initial, fields) };
}

function parsed(text: string | null): object {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Could the field hold the value? An emptied number is `""`; a choice not made yet is `null`, `undefined` or `""`. */
function isOfKind(began: unknown, value: unknown): boolean {
  if (Array.isArray(began)) return Array.isArray(value);
  if (isRecord(began)) return isRecord(value);
  if (typeof value === "object" && value !== null) return false;
  if (began === null || began === undefined) return typeof value !== "boolean";
  if (typeof began === "number")
    return typeof value === "number" || value === "" || value === null || value === undefined;
  return typeof value === typeof began || (began === "" && typeof value === "number");
}

/** The query parameters that prefill a form, as part of its key: another link opens another form. */
export function linkKey(params: URLSearchParams, names: readonly string[]): string {
  const asked = names.flatMap((name) => params.getAll(name).map((value) => [name, value]));
  return new URLSearchParams(asked).toString();
}

interface KeptForm<Form> {
  form: Form;
  set: (changes: Partial<Form> | ((before: Form) => Partial<Form>)) => void;
  /** The form was restored from an earlier, unfinished visit. */
  cameBack: boolean;
  startOver: () => void;
  /** Forget the form because it is done or abandoned; `rest` is what the page goes on showing of it. */
  forget: (rest?: Partial<Form>) => void;
  /**
   * Forget the form once the server accepts it, even if the page was left meanwhile; call `then` only if it was not
   * left.
   */
  sent: <Answer>(answer: Promise<Answer>, then: (answer: Answer) => void) => void;
}

interface Held<Form> {
  name: string;
  initial: Form;
  form: Form;
  cameBack: boolean;
  /** Nothing was typed since it was sent or forgotten. */
  done: boolean;
}

function opened<Form extends object>(name: string, initial: Form): Held<Form> {
  const form = formOfKept(initial, readKept(name));
  const cameBack = Object.keys(changedFields(initial, form)).length > 0;
  return { name, initial, form, cameBack, done: false };
}

/**
 * Keep a form's state for this tab.
 *
 * @param key project, kind, and what prefilled the form. The form must not hold secrets: it is stored in the browser.
 */
export function useKeptForm<Form extends object>(key: string, begin: () => Form): KeptForm<Form> {
  // The owner of the page when the form was opened: after a login expires, that same person comes back to it.
  const [whose] = useState(() => keptName(""));
  const name = whose + key;
  const [state, setHeld] = useState(() => opened(name, begin()));
  let held = state;
  if (state.name !== name) {
    held = opened(name, begin());
    setHeld(held);
  }
  useEffect(() => {
    const changed = changedFields(held.initial, held.form);
    if (held.done || Object.keys(changed).length === 0) forgetKept(held.name);
    else writeKept(held.name, JSON.stringify(changed));
  }, [held]);
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const change = (to: (before: Held<Form>) => Partial<Held<Form>>) =>
    setHeld((before) => (before.name === name ? { ...before, ...to(before) } : before));
  const forget = (rest: Partial<Form> = {}) => {
    forgetKept(name);
    change(({ form }) => ({ form: { ...form, ...rest }, cameBack: false, done: true }));
  };
  return {
    form: held.form,
    set: (changes) =>
      change(({ form }) => ({
        form: { ...form, ...(typeof changes === "function" ? changes(form) : changes) },
        done: false,
      })),
    cameBack: held.cameBack,
    startOver: () => change(({ initial }) => ({ form: initial, cameBack: false })),
    forget,
    sent: (answer, then) =>
      void answer.then(
        (said) => {
          forget();
          if (isOpen.current) then(said);
        },
        () => undefined, // The form says why.
      ),
  };
}
