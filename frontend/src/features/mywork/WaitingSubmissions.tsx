import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useNavigate } from "react-router";
import type { QueuedSubmission } from "@/api/journal";
import type { Outbox } from "@/api/outbox";
import { useOutbox } from "@/api/useDesk";
import { Button } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { FINISH_WORDS } from "@/ui/trace/words";
import classes from "./mywork.module.css";
import { myStatsQuery } from "./queries";

/** Submissions that the server has not accepted yet. Each can be opened again instead of being sent. */
export function WaitingSubmissions({ slug, outbox }: { slug: string; outbox: Outbox }) {
  const { items, unreachable } = useOutbox(outbox);
  const navigate = useNavigate();
  const client = useQueryClient();
  // The list and the counts of this page were fetched before it was sent.
  useEffect(
    () =>
      outbox.onSent(({ item }) => {
        if (item.slug !== slug) return;
        void client.invalidateQueries({ queryKey: ["my-labels", slug] });
        void client.invalidateQueries({ queryKey: myStatsQuery(slug).queryKey });
      }),
    [outbox, slug, client],
  );
  const mine = items.filter((item) => item.slug === slug);
  if (mine.length === 0) return null;
  const refused = mine.some((item) => item.refusal);
  const openAgain = async (item: QueuedSubmission) => {
    await outbox.withdraw(item.key);
    client.removeQueries({ queryKey: ["labeling-queue"] });
    await navigate(
      item.action === "revise" || item.refusal ? `/projects/${slug}/label/${item.labelId}` : `/projects/${slug}/label`,
    );
  };
  return (
    <div style={{ marginBottom: 20 }}>
      <Notice
        tone={refused ? "bad" : "warn"}
        title={`${countOf(mine.length, "submission")} on this device ${mine.length === 1 ? "is" : "are"} not on the server yet`}
        actions={unreachable && <Button onClick={() => void outbox.flush()}>Send now</Button>}
      >
        <ul className={classes.waiting}>
          {mine.map((item) => (
            <li key={item.key}>
              <span>
                {item.problemText.slice(0, 90)} · {FINISH_WORDS[item.finish]}
                {item.refusal && <> · The server did not take it: {item.refusal.detail}</>}
              </span>
              <Button onClick={() => void openAgain(item)}>Open it again</Button>
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
