import type { Round } from "@/api/projectTypes";
import type { StageProgress, StageState } from "@/api/roundTypes";
import { useWaiting } from "@/api/waiting";
import { Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { Waiting } from "@/ui/Waiting";
import { doneWords, paceWords, sampleWords } from "./roundStages";
import classes from "./Stages.module.css";
import { useRoundProgress } from "./stagedQueries";

const SIGNS: Record<StageState, { sign: string; word: string }> = {
  waiting: { sign: "○", word: "waiting" },
  running: { sign: "●", word: "running" },
  done: { sign: "✓", word: "done" },
  failed: { sign: "✕", word: "failed" },
  skipped: { sign: "–", word: "skipped" },
};

/** Each stage of the workers' part: how far it is, how fast it goes, and when it will be finished. */
export function Stages({ round }: { round: Round }) {
  const progress = useRoundProgress(round);
  const running = progress.data?.stages.find((stage) => stage.state === "running");
  const next = progress.data?.stages.find((stage) => stage.state !== "done" && stage.state !== "skipped");
  return (
    <Panel title="The workers’ part" {...(round.working ? { note: "It continues when you leave this page." } : {})}>
      {progress.isPending && <SkeletonLines lines={4} label="Loading the progress" />}
      {progress.isError && !progress.data && (
        <ErrorState inline error={progress.error} retry={() => void progress.refetch()} />
      )}
      <ol className={classes.stages}>
        {progress.data?.stages.map((stage) => (
          <Stage
            key={stage.stage}
            stage={stage}
            round={round.id}
            stopped={round.status === "paused"}
            next={round.working && stage === next}
            {...(stage.unit === "samples" && progress.data.samples ? { note: sampleWords(progress.data.samples) } : {})}
          />
        ))}
      </ol>
      <p className="visually-hidden" role="status">
        {running ? `${running.title}: running` : ""}
      </p>
    </Panel>
  );
}

interface StageProps {
  stage: StageProgress;
  round: number;
  stopped: boolean;
  /** This stage is next. */
  next: boolean;
  /** Its results so far. */
  note?: string;
}

function Stage({ stage, round, stopped, next, note }: StageProps) {
  const { title: name, means } = stage;
  const { sign, word } = SIGNS[stage.state];
  const waits = !stopped && (stage.state === "running" ? stage.workers === 0 : next && stage.state === "waiting");
  const ahead = useWaiting("round", round, waits);
  const moving = stage.state === "running" || (stage.state === "failed" && stage.total > 0);
  return (
    <li className={classes.stage} data-state={stage.state}>
      <span className={classes.sign} aria-hidden>
        {sign}
      </span>
      <div className={classes.head}>
        <h3>
          {name}
          <span className="visually-hidden">, {stopped && stage.state === "running" ? "paused" : word}</span>
        </h3>
        <p>{means}</p>
        {note && <p>{note}</p>}
        {stage.held_up && !stopped && <p className={classes.heldUp}>Held up, retrying: {stage.held_up}</p>}
      </div>
      <div className={classes.numbers}>
        <span>{doneWords(stage)}</span>
        <small>
          {stopped && stage.state === "running" ? "paused" : paceWords(stage)}
          {waits && <Waiting on={ahead} within />}
        </small>
      </div>
      {moving && (
        <div className={classes.bar}>
          <ProgressLine label={name} done={stage.done} total={stage.total > 0 && !stage.whole ? stage.total : null} />
        </div>
      )}
    </li>
  );
}
