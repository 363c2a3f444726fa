import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import type { Label, MyLabel, RevealedScores } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { MathText } from "@/ui/math/MathText";
import { ErrorNotice } from "@/ui/Notice";
import { SkeletonLines } from "@/ui/states";
import { HeatKey, HeatStrip } from "@/ui/trace/HeatStrip";
import { RatingMark } from "@/ui/trace/LabelMatrix";
import { formatStepScore, lowestStep } from "@/ui/trace/score";
import { silence } from "@/ui/trace/silence";
import { stepName } from "@/ui/trace/words";
import classes from "./RevealDialog.module.css";

/** What the model thought of a trace, for a labeler who has submitted a label on it. Looking is recorded. */
export function RevealDialog({ label, onClose }: { label: MyLabel | null; onClose: () => void }) {
  if (label === null) return null;
  return (
    <Dialog onClose={onClose} title="What machines say of it" shape="wide">
      <Reveal key={label.id} label={label} onClose={onClose} />
    </Dialog>
  );
}

function Reveal({ label, onClose }: { label: MyLabel; onClose: () => void }) {
  const reveal = useMutation({
    mutationFn: () => api.post<RevealedScores>(`/api/labels/${label.id}/reveal`),
  });
  const whole = useQuery({
    queryKey: ["label", label.id, "revealed"],
    queryFn: ({ signal }) => api.get<Label>(`/api/labels/${label.id}`, { signal }),
    enabled: reveal.isSuccess,
  });
  if (reveal.data && whole.data) return <Revealed label={whole.data} own={label.verdict} found={reveal.data} />;
  if (reveal.isSuccess && !whole.isError) return <SkeletonLines lines={5} />;
  return (
    <div className={classes.ask}>
      <p>
        You see what machines say about each step: a model’s scores, a source’s marks and recomputed calculations. This
        is recorded. If you then revise the label, it is marked as changed after you saw them. The label you submitted
        does not change.
      </p>
      <ErrorNotice error={reveal.error ?? whole.error} />
      <div className={classes.buttons}>
        <Button onClick={onClose} data-first>
          Not now
        </Button>
        <Button kind="primary" disabled={reveal.isPending} onClick={() => reveal.mutate()}>
          {reveal.isPending ? "Asking…" : "Show what machines say"}
        </Button>
      </div>
    </div>
  );
}

function Revealed({ label, own, found }: { label: Label; own: number | null; found: RevealedScores }) {
  const { scores, marks, checks } = found;
  const [picked, setPicked] = useState<number | null>(null);
  const first = scores[0];
  const scored = first?.steps ?? null;
  const said = checks.some((words) => words.length > 0);
  if (!first && marks.length === 0 && !said)
    return <p>No machine has judged this trace. There was nothing to show, and nothing was recorded.</p>;
  const step = picked ?? (scored && lowestStep(scored)) ?? marks.find(hasError)?.first_error ?? 0;
  const ratings = label.submission?.ratings ?? [];
  const at = Math.min(Math.max(step, 0), label.steps.length - 1);
  const words = [...(checks[at] ?? []), ...marks.flatMap((mark) => mark.words[at] ?? [])];
  return (
    <div className={classes.revealed}>
      {marks.map((mark) => (
        <p key={mark.source.id} className={classes.mark}>
          <strong>{mark.source.name}</strong>: {saysOf(mark, own)}
        </p>
      ))}
      {first && !scored && <p>The model gave this trace no score: {first.reason || "no reason is known"}.</p>}
      {first && scored && (
        <>
          <p className={classes.prm}>
            {first.prm.name}: each bar is a step. Press one, or use the arrow keys, to read it.
          </p>
          <HeatStrip
            scores={scored}
            scale={first.scale}
            label="Steps as the model scores them"
            picked={picked}
            onPick={setPicked}
          />
          <HeatKey scale={first.scale} />
        </>
      )}
      {!scored && (
        <div className={classes.steps}>
          {label.steps.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its place in the trace
            <Button key={index} aria-pressed={index === at} onClick={() => setPicked(index)}>
              {stepName(index)}
            </Button>
          ))}
        </div>
      )}
      <div className={classes.step}>
        <p>
          <strong>{stepName(at)}</strong>
          {first && scored && <span>the model: {formatStepScore(scored[at] ?? null, first.scale)}</span>}
          <span>
            you: <RatingMark rating={ratings[at]} />
          </span>
        </p>
        <div className="read">
          <MathText text={label.steps[at] ?? ""} />
        </div>
        {words.length > 0 && (
          <ul className={classes.words}>
            {words.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

type Mark = RevealedScores["marks"][number];

function hasError(mark: Mark): boolean {
  return mark.first_error !== null && mark.first_error >= 0;
}

/** Return what a source says about the whole trace, and whether the labeler said the same. */
export function saysOf(mark: Pick<Mark, "first_error" | "why">, own: number | null): string {
  if (mark.first_error === null) return `does not say${mark.why ? ` (${silence(mark.why)})` : ""}.`;
  const name = (error: number) => (error < 0 ? "no error" : `the first error is in step ${error + 1}`);
  const same = own === null ? "" : own === mark.first_error ? " So do you." : ` You said: ${name(own)}.`;
  return `${name(mark.first_error)}.${same}`;
}
