import { useState } from "react";
import { Link } from "react-router";
import { useGoldItem, useSaveGold } from "@/api/gold";
import type { TraceDetail } from "@/api/projectTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import { Button } from "@/ui/Button";
import { Panel } from "@/ui/Panel";
import { GoldDialog, goldNote, goldVerb } from "@/ui/trace/GoldDialog";
import classes from "./traces.module.css";

/** Whether the trace is gold, what passes on it and, for admins, a button to make it gold. */
export function GoldPanel({ slug, trace }: { slug: string; trace: TraceDetail }) {
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  const gold = useGoldItem(trace.gold);
  const [asking, setAsking] = useState(false);
  const item = gold.data ?? null;
  const { save, error, busy } = useSaveGold(slug, trace.id, item);
  const close = () => setAsking(false);
  if (trace.gold === null && !admin) return null;
  return (
    <Panel
      title={item?.status === "active" ? "This trace is gold" : "Gold"}
      note={goldNote(item)}
      actions={
        admin && (trace.gold === null || item) && <Button onClick={() => setAsking(true)}>{goldVerb(item)}</Button>
      }
    >
      {item && (
        <p className={classes.quiet}>
          <Link to={`/projects/${slug}/gold`}>How labelers do on it</Link>
        </p>
      )}
      {asking && (
        <GoldDialog
          steps={trace.steps}
          run={trace.is_run}
          item={item}
          guess={recordedFirstErrors(trace)}
          guessDecisive={recordedDecisiveErrors(trace)}
          error={error}
          busy={busy}
          onSave={(said) => save(said, close)}
          onClose={close}
        />
      )}
    </Panel>
  );
}

/** Return what files say, each verdict once: several may be acceptable. */
function recordedFirstErrors({ recorded_first_error, recorded_verdicts }: TraceDetail): number[] {
  const said = [recorded_first_error, ...recorded_verdicts.map((verdict) => verdict.first_error)];
  return [...new Set(said.filter((first) => first !== null))];
}

function recordedDecisiveErrors({ recorded_marks, recorded_verdicts }: TraceDetail): number[] {
  const said = [recorded_marks, ...recorded_verdicts.map((verdict) => verdict.marks)];
  const named = said.map((marks) => marks?.decisive_error ?? null).filter((step) => step !== null);
  return [...new Set(named)].sort((a, b) => a - b);
}
