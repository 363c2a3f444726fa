import { Textarea } from "@mantine/core";
import { useKept } from "@/api/keptText";
import * as limits from "@/api/limits";
import type { LabelDetail } from "@/api/projectTypes";
import type { Reply, Review } from "@/api/reviewTypes";
import { Button } from "@/ui/Button";
import { formatDateTime } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { stepName } from "@/ui/trace/words";
import { useReply } from "./queries";
import classes from "./reviews.module.css";

interface Thread {
  labeler: LabelDetail["labeler"];
  step: number;
  said: string[];
  replies: Reply[];
}

/** Return every labeler's comments by step, with the answers. Labelers see only their own threads. */
function threadsOf({ task, replies }: Review): Thread[] {
  const threads = new Map<string, Thread>();
  const thread = (labeler: LabelDetail["labeler"], step: number): Thread => {
    const key = `${labeler.id}/${step}`;
    const found = threads.get(key) ?? { labeler, step, said: [], replies: [] };
    threads.set(key, found);
    return found;
  };
  const labelers = new Map(task.labels.map(({ labeler }) => [labeler.id, labeler]));
  for (const label of task.labels) {
    if (label.status === "superseded") continue;
    for (const { step, text } of label.comments) thread(label.labeler, step).said.push(text);
  }
  for (const reply of replies) {
    const labeler = labelers.get(reply.labeler_id);
    if (labeler) thread(labeler, reply.step).replies.push(reply);
  }
  return [...threads.values()].sort((one, other) => one.step - other.step);
}

/** Of a text in a field, about: to measure each of hundreds, the browser would lay out the page as often. */
function rowsOf(text: string): number {
  return text.split("\n").reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / 80)), 0);
}

export function Threads({ slug, review }: { slug: string; review: Review }) {
  const threads = threadsOf(review);
  if (threads.length === 0) return null;
  return (
    <Panel title="Comments" note="Only the labeler who wrote the comment and the reviewers see an answer.">
      <ul className={classes.threads}>
        {threads.map((thread) => (
          <li key={`${thread.labeler.id}/${thread.step}`}>
            <OneThread slug={slug} taskId={review.task.id} thread={thread} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function OneThread({ slug, taskId, thread }: { slug: string; taskId: number; thread: Thread }) {
  const reply = useReply(slug, taskId);
  const { labeler, step } = thread;
  const [text, setText, forget] = useKept(`thread:${taskId}:${labeler.id}:${step}`, "");
  const send = () =>
    void reply.mutateAsync({ labeler_id: labeler.id, step, text: text.trim() }).then(
      () => {
        forget();
        setText("");
      },
      () => undefined, // the notice says why
    );
  return (
    <>
      <p className={classes.threadHead}>
        <strong>{labeler.display_name}</strong> on {stepName(step)}
      </p>
      {thread.said.map((said) => (
        <p key={said} className={classes.said}>
          <MathText text={said} />
        </p>
      ))}
      {thread.replies.map((answer) => (
        <p key={answer.id} className={classes.reply}>
          <small>
            {answer.author.display_name}, {formatDateTime(answer.created_at)}
          </small>
          <MathText text={answer.text} />
        </p>
      ))}
      <ErrorNotice error={reply.error} title="Not sent" />
      <div className={classes.answer}>
        <Textarea
          aria-label={`Answer ${labeler.display_name} on ${stepName(step)}`}
          placeholder="Answer"
          rows={rowsOf(text)}
          {...limits.ReplyIn.text}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button disabled={text.trim() === "" || reply.isPending} onClick={send}>
          Send
        </Button>
      </div>
    </>
  );
}
