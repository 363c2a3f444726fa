import classes from "./charts.module.css";

/** A figure with the rest of its text ("0.84, 95 %: 0.79 to 0.88") under it: for narrow columns. */
export function NarrowFigure({ words }: { words: string }) {
  const [value, ...rest] = words.split(", ");
  return (
    <span className={classes.narrowFigure}>
      {value}
      {rest.length > 0 && <small>{rest.join(", ")}</small>}
    </span>
  );
}
