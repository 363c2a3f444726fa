import { Link } from "react-router";
import { Term } from "@/ui/glossary/Term";
import { StatusMark, type StatusTone } from "@/ui/StatusMark";
import { intervalPart, type Uncertain } from "./estimateWords";
import classes from "./RuledShares.module.css";

type RuledWord = "good" | "bad" | "cannot_tell" | "not_yet";

export interface RuledShare {
  key: string;
  name: string;
  /** Null if there is no rule. */
  word: RuledWord | null;
  /** What it counts: "17 of 19 answers as expected". */
  says: string;
  share: Uncertain;
  /** What an interval would be based on. */
  unit: string;
  /** The position of the rule's tick. */
  limit: number | null;
  to: string;
  link: string;
}

const RULED_WORDS: Record<RuledWord, string> = {
  good: "good",
  bad: "look",
  cannot_tell: "cannot tell",
  not_yet: "not yet",
};

const TONES: Record<RuledWord, StatusTone> = { good: "good", bad: "bad", cannot_tell: "held", not_yet: "quiet" };

const percent = (value: number) => `${Math.round(value * 100)} %`;

/**
 * Shares, each with a rule: a word, what is counted, the share with its interval and its rule, and a link to the rows.
 */
export function RuledShares({ rows }: { rows: RuledShare[] }) {
  return (
    <ul className={classes.quality}>
      {rows.map(({ key, name, word, says, share, unit, limit, to, link }) => {
        const { value, low, high } = share;
        return (
          <li key={key}>
            <strong>
              <Term>{name}</Term>
            </strong>
            {word ? <StatusMark tone={TONES[word]}>{RULED_WORDS[word]}</StatusMark> : <span />}
            <span>{says}</span>
            <span className={classes.share}>
              <b>{value === null ? "n/a" : percent(value)}</b> <small>{intervalPart(share, percent, unit)}</small>
            </span>
            <span className={classes.axis} data-known={low !== null || undefined} aria-hidden>
              {low !== null && high !== null && (
                <i style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
              )}
              {value !== null && <b style={{ left: `${value * 100}%` }} />}
              {limit !== null && <em style={{ left: `${limit * 100}%` }} />}
            </span>
            <Link to={to}>{link}</Link>
          </li>
        );
      })}
    </ul>
  );
}
