import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import type { TraceScores } from "@/api/roundTypes";
import type { Label, LabelSummary, RevealedScores } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { MathText } from "@/ui/math/MathText";
import { ErrorNotice } from "@/ui/Notice";
import { SkeletonLines } from "@/ui/states";
import { HeatKey, HeatStrip } from "@/ui/trace/HeatStrip";
import { RatingMark } from "@/ui/trace/LabelMatrix";
import { formatStepScore, lowestStep } from "@/ui/trace/score";
import { stepName } from "@/ui/trace/words";
import classes from "./RevealDialog.module.css";

/** What the model thought of a trace, for the labeler who has submitted a label on it. The look is recorded. */
export function RevealDialog({ label, onClose }: { label: LabelSummary | null; onClose: () => void }) {
  if (label === null) return null;
  return (
    <Dialog onClose={onClose} title="What the model thought" shape="wide">
      <Reveal key={label.id} label={label} onClose={onClose} />
    </Dialog>
  );
}

function Reveal({ label, onClose }: { label: LabelSummary; onClose: () => void }) {
  const reveal = useMutation({
    mutationFn: () => api.post<RevealedScores>(`/api/labels/${label.id}/reveal`),
  });
  const whole = useQuery({
    queryKey: ["label", label.id, "revealed"],
    queryFn: ({ signal }) => api.get<Label>(`/api/labels/${label.id}`, { signal }),
    enabled: reveal.isSuccess,
  });
  if (reveal.data && whole.data) return <Revealed label={whole.data} scores={reveal.data.scores} />;
  if (reveal.isSuccess && !whole.isError) return <SkeletonLines lines={5} />;
  return (
    <div className={classes.ask}>
      <p>
        If a model has scored this trace, you see what it thought of each step. Your look is recorded then, and if you
        revise the label afterwards it is marked as changed after it. The label you submitted stays as it is.
      </p>
      <ErrorNotice error={reveal.error ?? whole.error} />
      <div className={classes.buttons}>
        <Button onClick={onClose}>Not now</Button>
        <Button kind="primary" disabled={reveal.isPending} onClick={() => reveal.mutate()} data-first>
          {reveal.isPending ? "Asking…" : "Show what the model thought"}
        </Button>
      </div>
    </div>
  );
}

function Revealed({ label, scores }: { label: Label; scores: TraceScores[] }) {
  const [picked, setPicked] = useState<number | null>(null);
  const first = scores[0];
  if (!first) return <p>No model has scored this trace, so there was nothing to look at and nothing was recorded.</p>;
  if (!first.steps) return <p>The model gave this trace no score: {first.reason || "no reason is known"}.</p>;
  const step = picked ?? lowestStep(first.steps) ?? 0;
  const ratings = label.submission?.ratings ?? [];
  return (
    <div className={classes.revealed}>
      <p className={classes.prm}>{first.prm.name}: each bar is a step. Press one, or use the arrow keys, to read it.</p>
      <HeatStrip
        scores={first.steps}
        scale={first.scale}
        label="Steps as the model scores them"
        picked={picked}
        onPick={setPicked}
      />
      <HeatKey scale={first.scale} />
      <div className={classes.step}>
        <p>
          <strong>{stepName(step)}</strong>
          <span>the model: {formatStepScore(first.steps[step] ?? null, first.scale)}</span>
          <span>
            you: <RatingMark rating={ratings[step]} />
          </span>
        </p>
        <div className="read">
          <MathText text={label.steps[step] ?? ""} />
        </div>
      </div>
    </div>
  );
}
