import { Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { useKept } from "@/api/keptText";
import * as limits from "@/api/limits";
import { usePaged } from "@/api/paged";
import type { Thread } from "@/api/reviewTypes";
import { Button } from "@/ui/Button";
import { MathText } from "@/ui/math/MathText";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import { stepName } from "@/ui/trace/words";
import classes from "./mywork.module.css";

const repliesKey = (slug: string) => ["my-replies", slug];

/** What reviewers answered to your comments, the newest thread first. Nothing is shown while there is none. */
export function Replies({ slug }: { slug: string }) {
  const replies = usePaged<Thread>(repliesKey(slug), `/api/projects/${slug}/my_replies`);
  const threads = byThread(replies.rows ?? []);
  if (threads.length === 0) return null;
  return (
    <Panel title="Answers to your comments" note="Between you and the project’s reviewers; no other labeler sees them.">
      <ul className={classes.threads}>
        {threads.map((thread) => (
          <li key={`${thread[0].label_id}/${thread[0].step}`}>
            <OneThread slug={slug} thread={thread} />
          </li>
        ))}
      </ul>
      {replies.hasNextPage && <Button onClick={() => void replies.fetchNextPage()}>Load more</Button>}
    </Panel>
  );
}

/** Return newest-first rows as threads, each with its rows in the order in which they were written. */
function byThread(rows: Thread[]): [Thread, ...Thread[]][] {
  const threads = new Map<string, [Thread, ...Thread[]]>();
  for (const row of rows) {
    const key = `${row.label_id}/${row.problem_text}/${row.step}`;
    const known = threads.get(key);
    if (known) known.unshift(row);
    else threads.set(key, [row]);
  }
  return [...threads.values()];
}

function OneThread({ slug, thread }: { slug: string; thread: [Thread, ...Thread[]] }) {
  const client = useQueryClient();
  const [{ label_id, step, problem_text }] = thread;
  const [text, setText, forget] = useKept(`reply:${label_id}:${step}`, "");
  const answer = useMutation({
    mutationFn: () => api.post(`/api/labels/${label_id}/replies`, { step, text: text.trim() }),
    onSuccess: () => {
      forget(); // its page may have been left by now
      setText("");
      return client.invalidateQueries({ queryKey: repliesKey(slug) });
    },
  });
  return (
    <>
      <p className={classes.threadHead}>
        <ProblemExcerpt text={problem_text} />
        {stepName(step)}
      </p>
      {thread.map((row) => (
        <p key={row.id} className={classes.said} data-mine={row.mine || undefined}>
          <small>
            {row.mine ? "You" : "Reviewer"}, <RelativeTime at={row.created_at} />
          </small>
          <MathText text={row.text} />
        </p>
      ))}
      <ErrorNotice error={answer.error} title="Not sent" />
      {label_id !== null && (
        <div className={classes.answer}>
          <Textarea
            aria-label={`Answer on ${stepName(step)}`}
            placeholder="Answer"
            autosize
            minRows={1}
            {...limits.OwnReplyIn.text}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button disabled={text.trim() === "" || answer.isPending} onClick={() => answer.mutate()}>
            Send
          </Button>
        </div>
      )}
    </>
  );
}
