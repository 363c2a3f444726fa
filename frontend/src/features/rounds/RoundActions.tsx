import { useState } from "react";
import { Link } from "react-router";
import { useProject } from "@/api/projects";
import type { Round } from "@/api/projectTypes";
import { StartLink } from "@/ui/ActiveProject";
import { Button, type ButtonKind, ButtonLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { countOf } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { roundSlots } from "@/ui/roundProgress";
import { kindOf } from "./likeRound";
import { useRoundAction, useRoundReviews, useTrainingAtClosing } from "./queries";
import { RoundForecast } from "./RoundForecast";
import { actionsOf, type RoundAction } from "./roundStages";
import { roundName } from "./roundStatus";
import classes from "./rounds.module.css";

interface Asking {
  /** The button on the page. */
  button: string;
  kind: ButtonKind;
  title: string;
  /** The button in the dialog. */
  confirm: string;
  says: string;
}

const EMPTY: Asking = { button: "", kind: "default", title: "", confirm: "", says: "" };

/** Return the texts about what each button does and what it costs. */
function askingFor(action: RoundAction, round: Round): Asking {
  const name = roundName(round);
  const working = round.with_workers;
  const { open, submitted, tasks } = round.counts;
  const missing = Math.max(0, roundSlots(round) - submitted);
  const underWay = (then: string) => (open === 0 ? "" : ` Labels in progress ${then}.`);
  switch (action) {
    case "publish":
      return {
        button: "Publish to labelers",
        kind: "primary",
        title: `Publish ${name}?`,
        confirm: "Publish",
        says: `${countOf(tasks, "task")} for ${countOf(roundSlots(round), "label")} become available to labelers immediately. You cannot change the selection after that.`,
      };
    case "pause":
      return {
        button: "Pause",
        kind: "default",
        title: `Pause ${name}?`,
        confirm: "Pause",
        says: working
          ? `Workers finish their current chunk, then stop. No finished work is lost.${round.staged ? " The project can run another round in the meantime." : ""}`
          : `Labelers get none of its tasks until you resume it.${underWay("can still be submitted")}`,
      };
    case "resume":
      return round.status === "failed"
        ? {
            button: "Try again",
            kind: "primary",
            title: `Try ${name} again?`,
            confirm: "Try again",
            says: "Work continues where it stopped. Only what is missing is done.",
          }
        : {
            button: "Resume",
            kind: "primary",
            title: `Resume ${name}?`,
            confirm: "Resume",
            says: working ? "Workers continue where they stopped." : "Labelers get its tasks again immediately.",
          };
    case "cancel":
      return {
        button: "Cancel round",
        kind: "danger",
        title: `Cancel ${name} for good?`,
        confirm: "Cancel for good",
        says: `Labelers will get none of its tasks, and you cannot resume it.${round.staged ? " Its scores and grades are kept; the next round with the same model uses them." : ""}`,
      };
    case "close":
      return {
        button: "Close round",
        kind: "danger",
        title: `Close ${name} for good?`,
        confirm: "Close for good",
        says: [
          missing > 0 && `${countOf(missing, "label is", "labels are")} still missing and will never be made.`,
          underWay("is kept as surplus when it is submitted").trim(),
          "A closed round cannot be opened again; its labels stay and can be exported.",
        ]
          .filter(Boolean)
          .join(" "),
      };
  }
}

/** Return what else a close does in a project that trains at each close. */
function trainingWords(refused: string): string {
  return refused ? `No training starts with it. ${refused}` : "It starts a training on all labels.";
}

/** The buttons of a round. Each asks for confirmation, because its effect reaches other people. */
export function RoundActions({ slug, round }: { slug: string; round: Round }) {
  const act = useRoundAction(slug, round.id);
  const kind = kindOf(round);
  const trains = useProject(slug).data?.trains_at_close && round.counts.submitted > 0;
  const [asking, setAsking] = useState<RoundAction | null>(null);
  const waiting = useRoundReviews(slug, round.id, asking === "close").data?.tasks ?? 0;
  const training = useTrainingAtClosing(slug, round.id, asking === "close" && Boolean(trains)).data;
  const [shown, setShown] = useState<Asking>(EMPTY); // kept while the dialog fades out
  const ask = (action: RoundAction) => {
    setShown(askingFor(action, round));
    setAsking(action);
  };
  return (
    <>
      {round.counts.tasks > 0 && <ButtonLink to={`/projects/${slug}/tasks?round=${round.id}`}>Tasks</ButtonLink>}
      {kind && <StartLink to={`/projects/${slug}/rounds/new?kind=${kind}&like=${round.id}`}>New like this</StartLink>}
      {(round.status === "closed" || round.imported) && (
        <ButtonLink kind="primary" to={`/projects/${slug}/prms/train?round=${round.id}`}>
          Train a PRM
        </ButtonLink>
      )}
      {actionsOf(round)
        .map((action) => ({ action, asked: askingFor(action, round) }))
        .map(({ action, asked }) => (
          <Button key={action} kind={asked.kind} onClick={() => ask(action)}>
            {asked.button}
          </Button>
        ))}
      <ConfirmDialog
        opened={asking !== null}
        title={shown.title}
        confirm={shown.confirm}
        danger={shown.kind === "danger"}
        lasting={asking === "publish"}
        onConfirm={async () => asking && (await act.mutateAsync(asking))}
        onClose={() => setAsking(null)}
      >
        {shown.says}
        {asking === "close" && trains && training !== undefined && ` ${trainingWords(training.refused)}`}
        {asking === "close" && round.next.at !== null && round.next.round === null && (
          <p>The next round, due at {round.next.at} % of the labels, will no longer be prepared.</p>
        )}
        {asking === "close" && waiting > 0 && (
          <div className={classes.waiting}>
            <Notice tone="warn" title={`${countOf(waiting, "task waits", "tasks wait")} for a reviewer`}>
              Once the round is closed, nothing can be settled in {waiting === 1 ? "it" : "them"}.{" "}
              <Link to={`/projects/${slug}/review`}>Review {waiting === 1 ? "it" : "them"} first</Link>
            </Notice>
          </div>
        )}
        {asking === "publish" && <RoundForecast slug={slug} labels={roundSlots(round)} />}
      </ConfirmDialog>
    </>
  );
}
