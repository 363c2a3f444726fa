import { Button } from "./Button";
import classes from "./Form.module.css";

export interface LeftForm {
  cameBack: boolean;
  startOver: () => void;
}

/** Shown above a form restored from an earlier visit. */
export function AsYouLeftIt({ left }: { left: LeftForm }) {
  if (!left.cameBack) return null;
  return (
    <p className={classes.left} role="status">
      As you left it.
      <Button
        kind="plain"
        onClick={(event) => {
          left.startOver();
          event.currentTarget.form?.focus(); // The button disappears; keyboard users stay in the form.
        }}
      >
        Start over
      </Button>
    </p>
  );
}
