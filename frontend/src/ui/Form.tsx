import type { FormEvent, ReactNode } from "react";
import classes from "./Form.module.css";

/** A column of fields; `onSubmit` gets no event, the page stays. */
export function Form({ onSubmit, children, label }: { onSubmit: () => void; children: ReactNode; label?: string }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className={classes.form} onSubmit={submit} aria-label={label}>
      {children}
    </form>
  );
}

/** Fields that stand side by side where there is room. */
export function FormRow({ wide, children }: { wide?: boolean; children: ReactNode }) {
  return (
    <div className={classes.row} data-wide={wide || undefined}>
      {children}
    </div>
  );
}

/** Fields that belong together, under a heading; `note` says what they are about. */
export function FormSection({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <div>
        <h2>{title}</h2>
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
  /** One line that says what it means. */
  means: string;
}

interface ChoicesProps<T extends string> {
  legend: string;
  name: string;
  choices: Choice<T>[];
  /** Empty where it is none of them. */
  value: T | "";
  onChange: (value: T) => void;
  /** Side by side where there is room. */
  row?: boolean;
}

/** One of a few, each with a line that says what it means. */
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
