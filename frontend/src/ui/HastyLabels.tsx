import { Button } from "./Button";
import { countOf } from "./format";
import { Notice } from "./Notice";

interface HastyLabelsProps {
  hasty: number;
  /** They are already left out. */
  without: boolean;
  leave: (out: boolean) => void;
}

/**
 * Says how many labels were faster than anyone can read, with a button to leave them out; nothing if there are none.
 */
export function HastyLabels({ hasty, without, leave }: HastyLabelsProps) {
  if (hasty === 0) return null;
  const labels = countOf(hasty, "hasty label");
  return (
    <Notice tone={without ? "info" : "warn"} title={without ? `${labels} left out` : labels}>
      {!without && <p style={{ margin: "0 0 10px" }}>They took less time per step than reading takes.</p>}
      <Button onClick={() => leave(!without)}>{without ? "Take them in again" : "Leave them out"}</Button>
    </Notice>
  );
}
