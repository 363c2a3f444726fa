import { Button } from "./Button";
import classes from "./Form.module.css";

export interface LeftForm {
  cameBack: boolean;
  startOver: () => void;
}

/** Above a form that was filled before, and left. */
export function AsYouLeftIt({ left }: { left: LeftForm }) {
  if (!left.cameBack) return null;
  return (
    <p className={classes.left} role="status">
      As you left it.
      <Button
        kind="plain"
        onClick={(event) => {
          left.startOver();
          event.currentTarget.form?.focus(); // The button goes; who pressed it by key stays here.
        }}
      >
        Start over
      </Button>
    </p>
  );
}
