import type { ReactNode } from "react";
import { Button } from "./Button";
import { Disclosure } from "./Disclosure";
import classes from "./Faceted.module.css";
import { formatCount } from "./format";
import { SkeletonLines } from "./states";

export interface FacetGroup<Name extends string> {
  /** The name of the filter. */
  name: Name;
  title: string;
  values: { value: string; words: string; count?: number }[];
  /** The number of values not listed. */
  more?: number;
}

interface FacetListProps<Name extends string> {
  /** `undefined` while they are being counted. */
  groups: FacetGroup<Name>[] | undefined;
  filters: Record<Name, string>;
  onPick: (name: Name, value: string) => void;
  note?: ReactNode;
}

const MOST = 12;

/**
 * Each filter's values with the number of rows that have them under all other filters. A second press removes a filter.
 */
export function FacetList<Name extends string>({ groups, filters, onPick, note }: FacetListProps<Name>) {
  if (!groups) return <SkeletonLines lines={12} label="Counting" />;
  return (
    <div className={classes.facets}>
      {groups.map(({ name, title, values, more = 0 }) => {
        const left = Math.max(0, values.length - MOST) + more;
        return (
          <section key={name} aria-label={title}>
            <h2>{title}</h2>
            <ul>
              {values.slice(0, MOST).map(({ value, words, count }) => (
                <li key={value}>
                  <button
                    type="button"
                    aria-pressed={filters[name] === value}
                    onClick={() => onPick(name, filters[name] === value ? "" : value)}
                  >
                    <span>{words}</span>
                    {count !== undefined && <span>{formatCount(count)}</span>}
                  </button>
                </li>
              ))}
            </ul>
            {left > 0 && <p>{formatCount(left)} more</p>}
          </section>
        );
      })}
      {note && <p className={classes.note}>{note}</p>}
    </div>
  );
}

interface FacetedProps {
  facets: ReactNode;
  /** Above the rows: the search and the active filters. */
  asked: ReactNode;
  children: ReactNode;
}

/** A list with its facets next to it; on a narrow window they are folded above it. */
export function Faceted({ facets, asked, children }: FacetedProps) {
  return (
    <div className={classes.columns}>
      <div className={classes.beside}>{facets}</div>
      <div className={classes.folded}>
        <Disclosure title="Filters">{facets}</Disclosure>
      </div>
      <div className={classes.list}>
        <div className={classes.asked}>{asked}</div>
        {children}
      </div>
    </div>
  );
}

interface FilterChipsProps<Name extends string> {
  names: Name[];
  words: (name: Name) => string;
  onLift: (name: Name) => void;
}

/** The active filters, each removed by a press. */
export function FilterChips<Name extends string>({ names, words, onLift }: FilterChipsProps<Name>) {
  return (
    <div className={classes.chips}>
      {names.map((name) => (
        <button key={name} type="button" onClick={() => onLift(name)} aria-label={`Lift ${words(name)}`}>
          {words(name)} <span aria-hidden>×</span>
        </button>
      ))}
    </div>
  );
}

interface PickedBarProps {
  label: string;
  said: ReactNode;
  children: ReactNode;
  onNone: () => void;
}

/** What is picked, and what can be done with it; it stays visible. */
export function PickedBar({ label, said, children, onNone }: PickedBarProps) {
  return (
    <section className={classes.bulk} aria-label={label}>
      <p>{said}</p>
      <div>
        {children}
        <Button kind="plain" onClick={onNone}>
          Pick none
        </Button>
      </div>
    </section>
  );
}

interface PickBoxProps {
  label: string;
  picked: boolean;
  onPick: (picked: boolean) => void;
}

/** A row's checkbox, placed above the row's own link. */
export function PickBox({ label, picked, onPick }: PickBoxProps) {
  return (
    <label className={classes.pick}>
      <input type="checkbox" checked={picked} onChange={(event) => onPick(event.currentTarget.checked)} />
      <span className="visually-hidden">{label}</span>
    </label>
  );
}
