import { NativeSelect } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { TraceDetail } from "@/api/projectTypes";
import type { TraceScores } from "@/api/roundTypes";
import { Panel } from "@/ui/Panel";
import { HeatKey, HeatStrip } from "@/ui/trace/HeatStrip";
import { formatStepScore, formatTraceScore, lowestStep } from "@/ui/trace/score";
import { stepName } from "@/ui/trace/words";
import { apartWords } from "./scoresApart";
import classes from "./traces.module.css";

/** Return the scores of one PRM at a time and, if several have scored the trace, the field that chooses the PRM. */
export function useScoresInView({ scores }: TraceDetail) {
  const [prm, setPrm] = useState<number | null>(null);
  const shown = scores.find((one) => one.prm.id === prm) ?? scores[0] ?? null;
  const chooser = scores.length > 1 && (
    <NativeSelect
      aria-label="PRM"
      value={String(shown?.prm.id)}
      data={scores.map((one) => ({ value: String(one.prm.id), label: one.prm.name }))}
      onChange={(event) => setPrm(Number(event.currentTarget.value))}
    />
  );
  return { scores: shown, chooser };
}

interface ScoresPanelProps {
  scores: TraceScores;
  chooser: ReactNode;
  picked: number | null;
  onPick: (step: number) => void;
}

/**
 * What a PRM says about the trace: one number for it and one for each step, the lowest marked. Or why it says nothing.
 */
export function ScoresPanel({ scores, chooser, picked, onPick }: ScoresPanelProps) {
  return (
    <Panel title="What the model thinks" note={scoreWords(scores)} actions={chooser}>
      {scores.steps ? (
        <div className={classes.scores}>
          <HeatStrip
            scores={scores.steps}
            scale={scores.scale}
            label={`Step scores by ${scores.prm.name}; press one to go to its step`}
            picked={picked}
            onPick={onPick}
          />
          <HeatKey scale={scores.scale} />
        </div>
      ) : (
        <p className={classes.quiet}>It has no score: {scores.reason || "the model gave none"}.</p>
      )}
    </Panel>
  );
}

/** All models that scored the trace, one below the other, aligned by step, to show how far apart they are at each. */
export function AllScores({
  scores,
  picked,
  onPick,
}: Omit<ScoresPanelProps, "scores" | "chooser"> & { scores: TraceScores[] }) {
  if (scores.length < 2) return null;
  return (
    <Panel title="Models side by side" note={apartWords(scores)}>
      <div className={classes.models}>
        {scores.map((one) => (
          <section key={one.prm.id} aria-label={one.prm.name}>
            <p className={classes.quiet}>{scoreWords(one)}</p>
            {one.steps ? (
              <HeatStrip
                scores={one.steps}
                scale={one.scale}
                label={`Step scores by ${one.prm.name}, next to the others; press one to go to its step`}
                picked={picked}
                onPick={onPick}
              />
            ) : (
              <p className={classes.quiet}>It has no score: {one.reason || "the model gave none"}.</p>
            )}
          </section>
        ))}
      </div>
    </Panel>
  );
}

function scoreWords({ prm, scale, steps, score, exact }: TraceScores): string {
  const lowest = steps ? lowestStep(steps) : null;
  const parts = [
    prm.name,
    score !== null && `trace ${formatTraceScore(score)}`,
    steps && lowest !== null && `lowest at ${stepName(lowest)} with ${formatStepScore(steps[lowest] ?? null, scale)}`,
    !exact && "in half precision",
  ];
  return parts.filter(Boolean).join(" · ");
}
