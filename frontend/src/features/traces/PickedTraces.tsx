import { useState } from "react";
import { hasRole, roleIn, useUser } from "@/api/session";
import { StartLink, WhileActive } from "@/ui/ActiveProject";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { PickedBar } from "@/ui/Faceted";
import { countOf, formatCount } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { useChangeTraces } from "./queries";
import { heldOutWords, madeGoldWords, roundOfAlike, roundOfPicked } from "./traceWords";

// The largest number of traces that a round accepts by their ids.
export const MOST_PICKED = 500;

const KINDS = {
  hold_out: {
    button: "Hold out…",
    title: "Hold out the problems of",
    confirm: "Hold out",
    means:
      "No training learns from their traces any more, and only plain rounds can still take them. Evaluation sets may use them. Existing labels stay. You cannot undo this here. The audit log records it.",
    done: heldOutWords,
  },
  gold: {
    button: "Make gold…",
    title: "Make gold of",
    confirm: "Make gold",
    means:
      "Traces whose file gives the first error become gold that accepts only that answer. Traces that are already gold, or whose first error no file gives, stay as they are. You can retire gold on its page.",
    done: madeGoldWords,
  },
};

interface PickedTracesProps {
  slug: string;
  picked: ReadonlySet<number>;
  onPick: (picked: ReadonlySet<number>) => void;
}

/** Shown only if something is picked: how much, and what you can do with it. */
export function PickedTraces({ slug, picked, onPick }: PickedTracesProps) {
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  const change = useChangeTraces(slug);
  const [asked, setAsked] = useState<keyof typeof KINDS | null>(null);
  const [done, setDone] = useState("");
  if (picked.size === 0) return done ? <Notice tone="good" title={done} /> : null;
  const words = asked && KINDS[asked];
  const tooMany = picked.size > MOST_PICKED;
  return (
    <>
      <PickedBar
        label="Picked traces"
        onNone={() => onPick(new Set())}
        said={
          <>
            <strong>{countOf(picked.size, "trace")} picked</strong>
            {tooMany && ` (at most ${formatCount(MOST_PICKED)} at once)`}
          </>
        }
      >
        {!tooMany && (
          <>
            <StartLink to={`/projects/${slug}/${roundOfPicked(picked)}`}>Make a round</StartLink>
            <StartLink to={`/projects/${slug}/${roundOfAlike(picked)}`}>More like these</StartLink>
            <WhileActive>
              {admin && <Button onClick={() => setAsked("gold")}>{KINDS.gold.button}</Button>}
              <Button onClick={() => setAsked("hold_out")}>{KINDS.hold_out.button}</Button>
            </WhileActive>
          </>
        )}
      </PickedBar>
      {asked && words && (
        <ConfirmDialog
          opened
          title={`${words.title} ${countOf(picked.size, "trace")}?`}
          confirm={words.confirm}
          lasting={asked === "hold_out"}
          onConfirm={async () => {
            setDone(words.done(await change.mutateAsync({ kind: asked, ids: [...picked] })));
            onPick(new Set());
          }}
          onClose={() => setAsked(null)}
        >
          {words.means}
        </ConfirmDialog>
      )}
    </>
  );
}
