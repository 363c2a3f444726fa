import { useState } from "react";
import { Link } from "react-router";
import { useGoldItem, useSaveGold } from "@/api/gold";
import type { Review } from "@/api/reviewTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import { Button } from "@/ui/Button";
import { Panel } from "@/ui/Panel";
import { GoldDialog, goldNote, goldVerb } from "@/ui/trace/GoldDialog";
import classes from "./reviews.module.css";
import { rulingOn } from "./useSeenRuling";

/** Whether the trace is gold and, for admins, a button to make it gold with what was settled. */
export function ReviewGold({ slug, review }: { slug: string; review: Review }) {
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  const gold = useGoldItem(review.gold);
  const [asking, setAsking] = useState(false);
  const item = gold.data ?? null;
  const { save, error, busy } = useSaveGold(slug, review.task.trace.id, item);
  const close = () => setAsking(false);
  if (review.gold === null && !admin) return null;
  return (
    <Panel
      title={item?.status === "active" ? "This trace is gold" : "Gold"}
      note={goldNote(item)}
      actions={
        admin && (review.gold === null || item) && <Button onClick={() => setAsking(true)}>{goldVerb(item)}</Button>
      }
    >
      {item && (
        <p className={classes.aside}>
          <Link to={`/projects/${slug}/gold`}>How labelers do on it</Link>
        </p>
      )}
      {asking && (
        <GoldDialog
          steps={review.task.trace.steps}
          run={review.task.trace.is_run}
          item={item}
          guess={review.verdict === null ? [] : [review.verdict]}
          guessDecisive={ruledDecisive(review)}
          error={error}
          busy={busy}
          onSave={(said) => save(said, close)}
          onClose={close}
        />
      )}
    </Panel>
  );
}

/** Return the decisive error that a reviewer ruled on. */
function ruledDecisive(review: Review): number[] {
  const step = rulingOn(review)?.run_marks?.decisive_error ?? null;
  return step === null ? [] : [step];
}
