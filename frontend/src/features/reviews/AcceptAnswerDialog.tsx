import { Radio, TextInput } from "@mantine/core";
import { useState } from "react";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { MathText } from "@/ui/math/MathText";
import { type DecisionProps, Reason } from "./DecisionForm";
import { useAcceptAnswer } from "./queries";
import classes from "./reviews.module.css";

/** "This answer is right too": beside the problem's own; or one that was accepted is right no longer. */
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
      title="This answer is right too"
      confirm={removed === "" ? "Accept and grade" : "Take back and grade"}
      onConfirm={async () => {
        onStarted((await accept.mutateAsync(body)).grading_id);
        setRemoved("");
      }}
      onClose={onClose}
    >
      <div className={classes.dialog}>
        <p>
          Every trace of the problem is graded against all right answers. You see what would change before anything
          does.
        </p>
        {problem.accepted_answers.length > 0 && (
          <Radio.Group label="What to change" value={removed} onChange={setRemoved}>
            <Radio value="" label="Accept another answer" />
            {problem.accepted_answers.map((known) => (
              <Radio
                key={known}
                value={known}
                label={
                  <>
                    No longer right: <MathText text={known} />
                  </>
                }
              />
            ))}
          </Radio.Group>
        )}
        {removed === "" && (
          <TextInput
            label={`Right beside ${problem.answer ?? "no answer"}`}
            maxLength={2000}
            value={answer}
            onChange={(event) => setAnswer(event.currentTarget.value)}
          />
        )}
        <Reason value={reason} onChange={setReason} />
      </div>
    </ConfirmDialog>
  );
}
