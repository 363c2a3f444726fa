import { useState } from "react";
import { Link } from "react-router";
import { useChangeGold, useGoldItem, useMakeGold } from "@/api/gold";
import type { TraceDetail } from "@/api/projectTypes";
import type { GoldItem, GoldSaid } from "@/api/qualityTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Panel } from "@/ui/Panel";
import { acceptableWords, GoldForm } from "@/ui/trace/GoldForm";
import classes from "./traces.module.css";

/** Whether the trace is gold, what passes on it, and for an admin the way to make it so. */
export function GoldPanel({ slug, trace }: { slug: string; trace: TraceDetail }) {
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  const gold = useGoldItem(trace.gold);
  const [asking, setAsking] = useState(false);
  const item = gold.data ?? null;
  if (trace.gold === null && !admin) return null;
  const verb = item?.status === "active" ? "Edit" : "Make it gold";
  return (
    <Panel
      title={item?.status === "active" ? "This trace is gold" : "Gold"}
      note={note(item)}
      actions={admin && (trace.gold === null || item) && <Button onClick={() => setAsking(true)}>{verb}</Button>}
    >
      {item && (
        <p className={classes.quiet}>
          <Link to={`/projects/${slug}/gold`}>How labelers fare with it</Link>
        </p>
      )}
      {asking && <AskGold slug={slug} trace={trace} item={item} onClose={() => setAsking(false)} />}
    </Panel>
  );
}

function note(item: GoldItem | null): string {
  if (item?.status === "active")
    return `Passes: ${acceptableWords(item.acceptable)}. Labelers cannot tell it from others.`;
  if (item) return "It was gold, and was retired.";
  return "Where the first error is known for sure, the trace can check labelers. It is then never served as work.";
}

interface AskGoldProps {
  slug: string;
  trace: TraceDetail;
  item: GoldItem | null;
  onClose: () => void;
}

function AskGold({ slug, trace, item, onClose }: AskGoldProps) {
  const make = useMakeGold(slug);
  const change = useChangeGold(slug);
  const active = item?.status === "active" ? item : null;
  const save = (said: GoldSaid) =>
    active
      ? change.mutate({ id: active.id, said }, { onSuccess: onClose })
      : make.mutate({ traceId: trace.id, said }, { onSuccess: onClose });
  return (
    <Dialog opened wide title={active ? "Edit gold" : "Make this trace gold"} onClose={onClose}>
      <GoldForm
        steps={trace.steps}
        said={{
          acceptable: item?.acceptable ?? (trace.recorded_first_error === null ? [] : [trace.recorded_first_error]),
          explanation: item?.explanation ?? "",
          paragraph: item?.paragraph ?? "",
        }}
        save={active ? "Save" : "Make it gold"}
        error={make.error ?? change.error}
        busy={make.isPending || change.isPending}
        onSave={save}
        onCancel={onClose}
      />
    </Dialog>
  );
}
