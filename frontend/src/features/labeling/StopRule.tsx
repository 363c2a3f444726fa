import { commandNamed } from "@/protocol/commands";
import type { LabelingProtocol } from "@/protocol/interface";
import { type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import classes from "./layout.module.css";

/** If more steps than this follow the stop, they are folded into one line until the labeler opens them. */
export const FOLDED_FROM = 8;

interface StopRuleProps {
  /** The steps that may not be rated. */
  closed: readonly number[];
  protocol: LabelingProtocol;
  choices: KeyChoices;
  folded: boolean;
  onToggle: () => void;
}

/** Directly under the −1: which steps stay unlabelled and, if there are many, whether to show them. */
export function StopRule({ closed, protocol, choices, folded, onToggle }: StopRuleProps) {
  if (closed.length === 0) return null;
  const cap = showKey(keysOf(commandNamed("later"), choices)[0] ?? "");
  return (
    <p className={classes.stop}>
      <span>{unlabelledWords(closed, protocol)}</span>
      {closed.length > FOLDED_FROM && (
        <button type="button" className={classes.command} aria-expanded={!folded} onClick={onToggle}>
          <kbd>{cap}</kbd> {folded ? `read the ${closed.length} steps` : "fold them"}
        </button>
      )}
    </p>
  );
}

/** Return which steps may not be rated, and why. */
function unlabelledWords(closed: readonly number[], protocol: LabelingProtocol): string {
  const first = (closed[0] ?? 0) + 1;
  const last = (closed.at(-1) ?? 0) + 1;
  const joined = first + 1 === last ? "and" : "to";
  const which = first === last ? `Step ${last} stays` : `Steps ${first} ${joined} ${last} stay`;
  return `${which} unlabelled: ${protocol.words.closed}.`;
}
