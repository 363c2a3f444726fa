import { useState } from "react";
import * as limits from "@/api/limits";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { TextField } from "@/ui/Form";
import { MathText } from "@/ui/math/MathText";
import { type DecisionProps, Reason } from "./DecisionForm";
import { useAcceptAnswer } from "./queries";
import classes from "./reviews.module.css";

/** Accept another right answer besides the problem's own, or take back one that was accepted. */
export function AcceptAnswerDialog({
  slug,
  review,
  opened,
  onClose,
  onStarted,
}: DecisionProps & { onStarted: (id: number) => void }) {
  const accept = useAcceptAnswer(slug, review.task.id);
  const { problem, final_answer } = review.task.trace;
  const [answer, setAnswer] = useState(final_answer ?? "");
  const [removed, setRemoved] = useState("");
  const [reason, setReason] = useState("");
  const body = removed === "" ? { answer, reason, accepted: true } : { answer: removed, reason, accepted: false };
  return (
    <ConfirmDialog
      opened={opened}
      title="Which answers are right"
      confirm={removed === "" ? "Accept and grade" : "Take back and grade"}
      onConfirm={async () => {
        onStarted((await accept.mutateAsync(body)).grading_id);
        setRemoved("");
      }}
      onClose={onClose}
    >
      <div className={classes.dialog}>
        <p>
          All traces of the problem are graded against all its right answers. Nothing changes until you have seen and
          applied the result.
        </p>
        <RightAnswers
          own={problem.answer}
          accepted={problem.accepted_answers}
          removed={removed}
          onRemove={(known) => setRemoved(known === removed ? "" : known)}
        />
        {removed === "" && (
          <TextField
            label="Right too"
            note={answer.includes("\\") && <MathText text={answer} />}
            {...limits.AcceptAnswerIn.answer}
            value={answer}
            onChange={setAnswer}
          />
        )}
        <Reason value={reason} onChange={setReason} />
      </div>
    </ConfirmDialog>
  );
}

interface RightAnswersProps {
  own: string | null;
  accepted: string[];
  /** The answer to take back; empty if there is none. */
  removed: string;
  onRemove: (answer: string) => void;
}

/** The answers that are right now. Accepted ones can be taken back. */
function RightAnswers({ own, accepted, removed, onRemove }: RightAnswersProps) {
  return (
    <ul className={classes.answers} aria-label="Right today">
      <li>
        {own === null ? <span>None is known yet.</span> : <MathText text={own} />}
        <small>{own !== null && "the problem’s own"}</small>
      </li>
      {accepted.map((known) => (
        <li key={known} data-removed={known === removed || undefined}>
          <MathText text={known} />
          <Button kind="plain" aria-pressed={known === removed} onClick={() => onRemove(known)}>
            {known === removed ? "Keep it" : "Take it back"}
          </Button>
        </li>
      ))}
    </ul>
  );
}
