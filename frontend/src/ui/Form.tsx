import { NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, type KeyboardEvent, type ReactNode, useId } from "react";
import { AsYouLeftIt, type LeftForm } from "./AsYouLeftIt";
import classes from "./Form.module.css";
import { Term } from "./glossary/Term";

interface FormProps {
  onSubmit: () => void;
  children: ReactNode;
  label?: string;
  /** The action reaches other people at once, so Enter in a field, which also accepts a suggestion, does not submit. */
  byButtonOnly?: boolean;
  /** For a form that outlives its page: it says so when it was restored. */
  left?: LeftForm;
}

/** A column of fields. `onSubmit` gets no event, and the page is not left. */
export function Form({ onSubmit, children, label, byButtonOnly, left }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  const keep = (event: KeyboardEvent) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
  };
  return (
    <form
      className={classes.form}
      onSubmit={submit}
      onKeyDown={byButtonOnly ? keep : undefined}
      aria-label={label}
      tabIndex={left ? -1 : undefined}
    >
      {left && <AsYouLeftIt left={left} />}
      {children}
    </form>
  );
}

/** Fields placed side by side if there is room. */
export function FormRow({ wide, children }: { wide?: boolean; children: ReactNode }) {
  return (
    <div className={classes.row} data-wide={wide || undefined}>
      {children}
    </div>
  );
}

/** Fields that belong together, under a heading; `note` explains them. */
export function FormSection({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <div>
        <h2>
          <Term>{title}</Term>
        </h2>
        {note && <p>{note}</p>}
      </div>
      {children}
    </section>
  );
}

export function FormButtons({ children }: { children: ReactNode }) {
  return <div className={classes.buttons}>{children}</div>;
}

/** The filters above a list. */
export function Filters({ children }: { children: ReactNode }) {
  return (
    <search className={classes.filters} aria-label="Filter the list">
      {children}
    </search>
  );
}

export interface Choice<T extends string> {
  value: T;
  name: string;
  /** One line that explains the choice. */
  means: string;
}

interface ChoicesProps<T extends string> {
  legend: string;
  name: string;
  choices: Choice<T>[];
  /** Empty if it is none of the choices. */
  value: T | "";
  onChange: (value: T) => void;
  /** Side by side if there is room. */
  row?: boolean;
}

/** One of a few choices, each with a line that explains it. */
export function Choices<T extends string>({ legend, name, choices, value, onChange, row }: ChoicesProps<T>) {
  return (
    <fieldset className={`${classes.choices} ${row ? classes.inRow : ""}`}>
      <legend>{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={classes.choice}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={value === choice.value}
            onChange={() => onChange(choice.value)}
          />
          <strong>{choice.name}</strong>
          <small>{choice.means}</small>
        </label>
      ))}
    </fieldset>
  );
}

export interface ChoiceGroup<T extends string> {
  name: string;
  /** What its choices are for. */
  means: string;
  /** `id`: its name elsewhere, in small print next to `name`. */
  choices: { value: T; name: string; id?: string }[];
}

interface GroupedChoicesProps<T extends string> {
  legend: string;
  name: string;
  groups: ChoiceGroup<T>[];
  value: T;
  onChange: (value: T) => void;
  /** Explains the chosen one. */
  children: ReactNode;
}

/** One of many choices: all names are visible, one row per group, and the chosen one is explained. */
export function GroupedChoices<T extends string>(props: GroupedChoicesProps<T>) {
  const { legend, name, groups, value, onChange, children } = props;
  const id = useId();
  return (
    <fieldset className={classes.grouped}>
      <legend>{legend}</legend>
      <div className={classes.groups}>
        {groups.map((group, index) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset in the fieldset would be announced twice
          <div key={group.name} role="group" aria-labelledby={`${id}-${index}`} className={classes.group}>
            <p id={`${id}-${index}`}>
              <strong>{group.name}</strong>
              <small>{group.means}</small>
            </p>
            <div className={classes.pills}>
              {group.choices.map((choice) => (
                <label key={choice.value} className={classes.pill}>
                  <input
                    type="radio"
                    name={name}
                    value={choice.value}
                    checked={value === choice.value}
                    aria-describedby={choice.id ? `${id}-${choice.value}` : undefined}
                    onChange={() => onChange(choice.value)}
                  />
                  {choice.name}
                  {choice.id && (
                    <small aria-hidden id={`${id}-${choice.value}`}>
                      {choice.id}
                    </small>
                  )}
                </label>
              ))}
            </div>
          </div>
        ))}
        <div className={classes.chosen} aria-live="polite">
          {children}
        </div>
      </div>
    </fieldset>
  );
}

interface FieldProps<T extends string> {
  label: string;
  /** An explanation below the field. */
  note?: ReactNode;
  value: T;
  error?: string | undefined;
  onChange: (value: T) => void;
}

const BELOW: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

/** One of a few values, for places where a line for each would be too much. */
export function SelectField<T extends string>(
  props: FieldProps<T> & { choices: readonly { value: T; label: string }[] },
) {
  const { label, note, value, error, onChange, choices } = props;
  return (
    <NativeSelect
      label={label}
      description={note}
      inputWrapperOrder={BELOW}
      data={choices}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value as T)}
    />
  );
}

/** A line of text. `placeholder` is the value that applies if it stays empty. */
export function TextField(props: FieldProps<string> & { placeholder?: string; maxLength?: number }) {
  const { label, note, value, error, onChange, placeholder, maxLength } = props;
  return (
    <TextInput
      label={label}
      description={note}
      inputWrapperOrder={BELOW}
      placeholder={placeholder ?? ""}
      {...(maxLength !== undefined && { maxLength })}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
