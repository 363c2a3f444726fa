import { Button } from "@/ui/Button";
import type { Lease } from "./labelSession";
import classes from "./layout.module.css";

interface LeaseBannerProps {
  lease: Lease;
  /** What the server said when it refused the slot. */
  detail: string;
  /** What the page says when somebody else got the slot, and while it asks for the slot again. */
  surplus: string;
  lost: string;
  onResume: () => void;
}

/** What happened to the slot; nothing while it is held. */
export function LeaseBanner({ lease, detail, surplus, lost, onResume }: LeaseBannerProps) {
  if (lease === "held") return null;
  if (lease === "surplus") {
    return (
      <div className={classes.banner}>
        <span>{surplus}</span>
      </div>
    );
  }
  return (
    <div className={`${classes.banner} ${classes.warn}`} role="alert">
      <span>{lease === "lost" ? lost : detail}</span>
      {lease === "lost" && <Button onClick={onResume}>Try again</Button>}
    </div>
  );
}
