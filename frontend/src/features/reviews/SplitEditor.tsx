import { TextInput } from "@mantine/core";
import { useNavigate } from "react-router";
import { useKept } from "@/api/keptText";
import * as limits from "@/api/limits";
import type { Review } from "@/api/reviewTypes";
import { Button } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import { useRepairSplit } from "./queries";
import classes from "./reviews.module.css";
import { cutPoints, cutStep, joinStep } from "./splitting";

interface SplitEditorProps {
  slug: string;
  review: Review;
  onDone: () => void;
}

/**
 * The trace's text with its step borders. Press between two sentences to cut there, or join a step with the one before.
 */
export function SplitEditor({ slug, review, onDone }: SplitEditorProps) {
  const before = review.task.trace.steps;
  const repair = useRepairSplit(slug, review.task.id);
  const navigate = useNavigate();
  const kept = `split:${review.task.trace.id}`;
  const [steps, setSteps, forgetSteps] = useKept(kept, before);
  const [reason, setReason, forgetReason] = useKept(`${kept}:reason`, "");
  const changed = steps.length !== before.length || steps.some((text, step) => text !== before[step]);
  const leave = () => {
    forgetSteps();
    forgetReason();
    onDone();
  };
  const save = () =>
    repair.mutate(
      { steps, reason: reason.trim() },
      {
        onSuccess: ({ task_id }) => {
          leave();
          if (task_id !== null) void navigate(`/projects/${slug}/review/${task_id}`);
        },
      },
    );
  return (
    <section className={classes.editor} aria-label="Repair the split">
      <p className={classes.aside}>
        The text does not change; only the boundaries move. Labels that end before the first changed step are carried
        over.
      </p>
      <ol>
        {steps.map((text, step) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its place
          <li key={step}>
            <div>
              {cutPoints(text).map(({ offset, part }) => (
                <span key={offset}>
                  {part}
                  {offset < text.length && (
                    <button
                      type="button"
                      aria-label={`Cut step ${step + 1} after “${part.slice(-20)}”`}
                      onClick={() => setSteps(cutStep(steps, step, offset))}
                    >
                      cut
                    </button>
                  )}
                </span>
              ))}
            </div>
            {step > 0 && (
              <Button
                onClick={() => setSteps(joinStep(steps, step))}
                aria-label={`Join step ${step + 1} with the one before`}
              >
                Join up
              </Button>
            )}
          </li>
        ))}
      </ol>
      <TextInput
        label="Reason"
        {...limits.RepairSplitIn.reason}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <ErrorNotice error={repair.error} title="Not repaired" />
      <div className={classes.buttons}>
        <Button kind="primary" disabled={!changed || reason.trim() === "" || repair.isPending} onClick={save}>
          {repair.isPending ? "Repairing…" : `Put ${countOf(steps.length, "step")} in its place`}
        </Button>
        <Button onClick={() => setSteps(before)} disabled={!changed}>
          Start over
        </Button>
        <Button onClick={leave}>Cancel</Button>
      </div>
    </section>
  );
}
