import { NumberInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import * as limits from "@/api/limits";
import type { Round } from "@/api/projectTypes";
import { Button } from "@/ui/Button";
import { formatPercent } from "@/ui/format";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { roundSlots } from "@/ui/roundProgress";
import { useScheduleNext } from "./queries";
import classes from "./rounds.module.css";

const USUAL = 90; // percent

/** Whether workers prepare the next round automatically, and when. A person publishes it, as with every round. */
export function NextRound({ slug, round }: { slug: string; round: Round }) {
  const schedule = useScheduleNext(slug, round.id);
  const { at, by, error, round: next } = round.next;
  if (next !== null) {
    return (
      <Panel title="The next round">
        <p>
          Workers prepared <Link to={`/projects/${slug}/rounds/${next}`}>the round after this one</Link>. Labelers get
          none of its tasks until someone publishes it.
        </p>
      </Panel>
    );
  }
  if (round.status === "closed" && at !== null) {
    return (
      <Panel title="The next round">
        <p>
          It was due to be prepared at {at} % of the labels, but this round was closed before that. <i>New like this</i>{" "}
          above starts one.
        </p>
      </Panel>
    );
  }
  if (round.status === "closed" || round.status === "cancelled") return null;
  return (
    <Panel
      title="The next round"
      note="Chosen by the same rules, with the PRM that is the selector at that time. It waits for someone to publish it."
    >
      {at === null ? (
        <Asking busy={schedule.isPending} onAsk={(percent) => schedule.mutate(percent)} />
      ) : (
        <>
          {error && (
            <Notice tone="warn" title="It cannot be prepared yet">
              <p>{error} It is retried regularly.</p>
            </Notice>
          )}
          <div className={classes.next}>
            <p>
              {by?.display_name ?? "Someone"} asked for it to be prepared at {at} % of the labels. Now:{" "}
              {formatPercent(round.counts.submitted, roundSlots(round))}.
            </p>
            <Button disabled={schedule.isPending} onClick={() => schedule.mutate(null)}>
              Do not prepare it
            </Button>
          </div>
        </>
      )}
      {schedule.isError && <ErrorNotice error={schedule.error} />}
    </Panel>
  );
}

function Asking({ busy, onAsk }: { busy: boolean; onAsk: (percent: number) => void }) {
  const [percent, setPercent] = useState<number | "">(USUAL);
  return (
    <form
      className={classes.next}
      aria-label="The next round"
      onSubmit={(event) => {
        event.preventDefault();
        if (percent !== "") onAsk(percent);
      }}
    >
      <NumberInput
        label="At this percentage of this round’s labels"
        {...limits.ScheduleNextIn.at}
        clampBehavior="strict"
        allowDecimal={false}
        suffix=" %"
        value={percent}
        onChange={(value) => setPercent(typeof value === "number" ? value : "")}
      />
      <Button type="submit" disabled={busy || percent === ""}>
        Prepare it then
      </Button>
    </form>
  );
}
