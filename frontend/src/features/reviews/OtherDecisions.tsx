import { Checkbox, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import * as limits from "@/api/limits";
import type { Review } from "@/api/reviewTypes";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { AcceptAnswerDialog } from "./AcceptAnswerDialog";
import { type DecisionProps, Reason } from "./DecisionForm";
import { useBadProblem, useCorrectAnswer, useDismiss, useRestoreProblem } from "./queries";
import classes from "./reviews.module.css";
import { KINDS } from "./reviewWords";
import { SplitEditor } from "./SplitEditor";

type Asking = "dismiss" | "bad" | "restore" | "answer" | "accept" | null;

/** The other decisions: nothing is needed, the problem is bad, it has another answer, a step is split wrongly. */
export function OtherDecisions({ slug, review }: { slug: string; review: Review }) {
  const [asking, ask] = useState<Asking>(null);
  const [splitting, setSplitting] = useState(false);
  const [grading, setGrading] = useState<number | null>(null);
  const bad = review.task.trace.problem.status === "bad";
  const close = () => ask(null);
  return (
    <Panel title="Other decisions" note="Each needs a reason, which is kept in the audit log.">
      <div className={classes.buttons}>
        {review.waiting.length > 0 && <Button onClick={() => ask("dismiss")}>Dismiss…</Button>}
        <Button onClick={() => ask("answer")}>Correct the answer…</Button>
        <Button onClick={() => ask("accept")}>Accept another answer…</Button>
        {review.replaced_by === null && (
          <Button aria-expanded={splitting} onClick={() => setSplitting(!splitting)}>
            Repair the split
          </Button>
        )}
        {bad ? (
          <Button onClick={() => ask("restore")}>Serve the problem again…</Button>
        ) : (
          <Button kind="danger" onClick={() => ask("bad")}>
            The problem is bad…
          </Button>
        )}
      </div>
      {grading !== null && (
        <div className={classes.started}>
          <Notice tone="good" title="The right answers are changed">
            The problem’s traces are being graded again.{" "}
            <Link to={`/projects/${slug}/gradings/${grading}`}>See what would change, and apply it</Link>.
          </Notice>
        </div>
      )}
      {splitting && <SplitEditor slug={slug} review={review} onDone={() => setSplitting(false)} />}
      <DismissDialog slug={slug} review={review} opened={asking === "dismiss"} onClose={close} />
      <BadDialog slug={slug} review={review} opened={asking === "bad"} onClose={close} />
      <RestoreDialog slug={slug} review={review} opened={asking === "restore"} onClose={close} />
      <AnswerDialog slug={slug} review={review} opened={asking === "answer"} onClose={close} onStarted={setGrading} />
      <AcceptAnswerDialog
        slug={slug}
        review={review}
        opened={asking === "accept"}
        onClose={close}
        onStarted={setGrading}
      />
    </Panel>
  );
}

function DismissDialog({ slug, review, opened, onClose }: DecisionProps) {
  const dismiss = useDismiss(slug, review.task.id);
  const [left, setLeft] = useState<string[]>([]);
  const [reason, setReason] = useState("");
  const kinds = review.waiting.filter((kind) => !left.includes(kind));
  return (
    <ConfirmDialog
      opened={opened}
      title="Nothing more is needed for"
      confirm="Dismiss"
      onConfirm={() => dismiss.mutateAsync({ kinds, reason })}
      onClose={onClose}
    >
      <div className={classes.dialog}>
        {review.waiting.map((kind) => (
          <Checkbox
            key={kind}
            label={KINDS[kind].name}
            description={KINDS[kind].means}
            checked={!left.includes(kind)}
            onChange={(event) =>
              setLeft(event.currentTarget.checked ? left.filter((one) => one !== kind) : [...left, kind])
            }
          />
        ))}
        <Reason value={reason} onChange={setReason} />
      </div>
    </ConfirmDialog>
  );
}

function BadDialog({ slug, review, opened, onClose }: DecisionProps) {
  const bad = useBadProblem(slug, review.task.id);
  const [reason, setReason] = useState("");
  return (
    <ConfirmDialog
      opened={opened}
      title="Take the problem off the queue?"
      confirm="It is bad"
      danger
      onConfirm={() => bad.mutateAsync({ reason })}
      onClose={onClose}
    >
      <div className={classes.dialog}>
        <p>
          Its traces are no longer served, in this round or later ones. Open labels can still be finished, and they
          count. You can serve the problem again later.
        </p>
        <Reason value={reason} onChange={setReason} />
      </div>
    </ConfirmDialog>
  );
}

function RestoreDialog({ slug, review, opened, onClose }: DecisionProps) {
  const restore = useRestoreProblem(slug, review.task.id);
  return (
    <ConfirmDialog
      opened={opened}
      title="Serve the problem again?"
      confirm="Serve it again"
      onConfirm={() => restore.mutateAsync(undefined)}
      onClose={onClose}
    >
      Its tasks return to the queue for the labels that they still want.
    </ConfirmDialog>
  );
}

function AnswerDialog({
  slug,
  review,
  opened,
  onClose,
  onStarted,
}: DecisionProps & { onStarted: (id: number) => void }) {
  const correct = useCorrectAnswer(slug, review.task.id);
  const [answer, setAnswer] = useState(review.task.trace.problem.answer ?? "");
  const [reason, setReason] = useState("");
  return (
    <ConfirmDialog
      opened={opened}
      title="Correct the answer"
      confirm="Correct and grade"
      onConfirm={async () => onStarted((await correct.mutateAsync({ answer, reason })).grading_id)}
      onClose={onClose}
    >
      <div className={classes.dialog}>
        <p>
          All traces of the problem are graded against the new answer. Nothing changes until you have seen and applied
          the result.
        </p>
        <TextInput
          label="The right answer"
          {...limits.CorrectAnswerIn.answer}
          value={answer}
          onChange={(event) => setAnswer(event.currentTarget.value)}
        />
        <Reason value={reason} onChange={setReason} />
      </div>
    </ConfirmDialog>
  );
}
