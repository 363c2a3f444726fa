import { NativeSelect } from "@mantine/core";
import { useKept } from "@/api/keptText";
import type { Review } from "@/api/reviewTypes";
import { commandNamed } from "@/protocol/commands";
import type { LabelingProtocol } from "@/protocol/interface";
import { type Binding, useCommandKeys } from "@/protocol/keyMap";
import { protocolNamed } from "@/protocol/registry";
import { NO_MARKS } from "@/protocol/runMarks";
import { Button } from "@/ui/Button";
import { Form, FormButtons } from "@/ui/Form";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { KeyHints } from "./KeyHints";
import { OtherRuling } from "./OtherRuling";
import { useSettleTask } from "./queries";
import { RulingFields } from "./RulingFields";
import { rulingCommands } from "./reviewCommands";
import classes from "./reviews.module.css";
import { emptyRuling, rulingLacks, sentRuling, startFrom } from "./ruling";
import { useKeptRuling } from "./useKeptRuling";
import { useKeyChoices } from "./useListKeys";
import { rulingOn, useSeenRuling } from "./useSeenRuling";
import { useStepInHand } from "./useStepInHand";
import { WithdrawRuling } from "./WithdrawRuling";

/** The keys named in the line below. */
const hints = (protocol: LabelingProtocol): [Binding, string][] => [
  [commandNamed("rate_plus"), "+1,"],
  [commandNamed("rate_zero"), "neutral,"],
  [commandNamed("rate_minus"), `${protocol.words.minus},`],
  [commandNamed("next_step"), "and"],
  [commandNamed("previous_step"), "move,"],
  [commandNamed("submit"), "settles."],
];

/** A reviewer's own label, which settles the task. The labels next to it stay as they are. */
export function RulingForm({ slug, review }: { slug: string; review: Review }) {
  const { task } = review;
  const settle = useSettleTask(slug, task.id);
  const nothing = emptyRuling(protocolNamed(review.protocol), task.trace.steps.length);
  const [draft, setDraft, forget] = useKeptRuling(`ruling:${task.id}`, nothing);
  const [decisive, setDecisive, forgetDecisive] = useKept<number | null>(`ruling:${task.id}:decisive`, null);
  const wrong = draft.ratings.flatMap((rating, step) => (rating === -1 ? [step] : []));
  const run_marks = decisive === null || !wrong.includes(decisive) ? null : { ...NO_MARKS, decisive_error: decisive };
  const ruling = sentRuling(draft);
  const lacks = rulingLacks(draft);
  const { stands, seen, setSeen } = useSeenRuling(review);
  const otherCame = !settle.isPending && (stands?.id ?? null) !== seen;
  const onSuccess = (settled: Review) => {
    setSeen(rulingOn(settled)?.id ?? null);
    forget();
    forgetDecisive();
  };
  const inHand = useStepInHand(draft, setDraft, null);
  const submit = () => {
    if (ruling === null || settle.isPending || otherCame) return;
    settle.mutate({ ...ruling, run_marks, seen_ruling: seen }, { onSuccess });
  };
  const commands = review.can_settle ? rulingCommands(inHand.current !== null) : [];
  useCommandKeys(commands, useKeyChoices(), { ...inHand, submit });
  if (!review.can_settle) {
    return (
      <Panel
        title="Settle it"
        actions={
          review.answer_known &&
          stands && <WithdrawRuling slug={slug} taskId={task.id} ruling={stands.id} onDone={() => setSeen(null)} />
        }
      >
        <p className={classes.aside}>
          {review.answer_known
            ? "The right answer to this task is known. It checks labelers and is not settled."
            : "The round is closed. Its labels are frozen, and its tasks can no longer be settled."}
        </p>
      </Panel>
    );
  }
  const settled = review.settlement === "ruled";
  return (
    <Panel
      title={settled ? "Settle it again" : "Settle it"}
      note="Give a label of your own. The other labels do not change. Exports and trainings that use settled verdicts take yours."
      actions={
        stands && <WithdrawRuling slug={slug} taskId={task.id} ruling={stands.id} onDone={() => setSeen(null)} />
      }
    >
      <div className={classes.wide}>
        <Form label="Settle the task" onSubmit={submit}>
          {otherCame ? (
            <OtherRuling
              stands={stands}
              onRead={() => {
                setSeen(stands?.id ?? null);
                settle.reset();
              }}
            />
          ) : (
            <ErrorNotice error={settle.error} title="Not settled" />
          )}
          <StartFrom
            review={review}
            start={(ratings) => {
              inHand.setCurrent(null);
              setDraft((before) => startFrom(before, ratings));
            }}
          />
          <RulingFields steps={task.trace.steps} draft={draft} change={setDraft} current={inHand.current}>
            {task.trace.is_run && wrong.length > 0 && (
              <NativeSelect
                label="Decisive error: the mistake that lost the run"
                value={decisive ?? ""}
                data={[
                  { value: "", label: "Not given" },
                  ...wrong.map((step) => ({ value: String(step), label: `Step ${step + 1}` })),
                ]}
                onChange={({ currentTarget: { value } }) => setDecisive(value === "" ? null : Number(value))}
              />
            )}
            <div className={classes.done}>
              <FormButtons>
                <Button kind="primary" type="submit" disabled={ruling === null || settle.isPending || otherCame}>
                  {settle.isPending ? "Settling…" : "Settle"}
                </Button>
                <span role="status" className={classes.aside}>
                  {settle.isPaused && "You are offline. Your ruling is sent when the connection is back."}
                  {otherCame && "Read the other ruling above first."}
                  {!settle.isPaused && !otherCame && (settle.isSuccess && settled ? "Settled." : (lacks ?? ""))}
                </span>
              </FormButtons>
            </div>
          </RulingFields>
        </Form>
        <KeyHints hints={hints(draft.protocol)} />
      </div>
    </Panel>
  );
}

function StartFrom({
  review,
  start,
}: {
  review: Review;
  start: (ratings: Review["task"]["labels"][number]["ratings"]) => void;
}) {
  const labels = review.task.labels.filter(({ status, ratings }) => status !== "superseded" && ratings.some(isRated));
  if (labels.length === 0) return null;
  return (
    <div className={classes.starts}>
      <span>Start from</span>
      {labels.map((label) => (
        <Button
          key={label.id}
          onClick={({ currentTarget }) => {
            start(label.ratings);
            currentTarget.blur(); // the next Enter settles, instead of pressing this again
          }}
        >
          {label.labeler.display_name}
        </Button>
      ))}
    </div>
  );
}

function isRated(rating: number | null): boolean {
  return rating !== null;
}
