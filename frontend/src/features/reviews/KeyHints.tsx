import { Fragment } from "react";
import { type Binding, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import classes from "./reviews.module.css";
import { useKeyChoices } from "./useListKeys";

/** The line at the bottom that says what the keys do. */
export function KeyHints({ hints }: { hints: [Binding, string][] }) {
  const choices = useKeyChoices();
  return (
    <p className={classes.hint}>
      {hints.map(([binding, words]) => (
        <Fragment key={binding.name}>
          <kbd>{showKey(keysOf(binding, choices)[0] ?? "")}</kbd> {words}{" "}
        </Fragment>
      ))}
    </p>
  );
}
