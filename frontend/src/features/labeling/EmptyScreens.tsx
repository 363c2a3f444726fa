import { useEffect, useState } from "react";
import { hasRole, roleIn, useUser } from "@/api/session";
import type { EmptyQueue } from "@/api/types";
import { Button, ButtonLink } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { Mark } from "@/ui/Mark";
import { EmptyState } from "@/ui/states";

const TITLES: Record<EmptyQueue["code"], string> = {
  no_open_round: "No round is open",
  all_done_for_you: "You have labeled all there is for you",
  all_being_labeled: "Everything left is being labeled",
  project_archived: "This project is archived",
  paused: "You are paused",
  screening_failed: "Not passed yet",
  screening_rejected: "You did not pass the screening",
  screening_not_ready: "The screening is not ready",
  screening_not_begun: "Screening comes first",
};

const SHORTEST_WAIT_S = 20;
const LONGEST_WAIT_S = 120;

interface EmptyQueueScreenProps {
  slug: string;
  empty: EmptyQueue;
  checking: boolean;
  onRetry: () => void;
}

/** Why there is nothing to label, in the server's words, and when the page checks again automatically. */
export function EmptyQueueScreen({ slug, empty, checking, onRetry }: EmptyQueueScreenProps) {
  const wait = Math.max(SHORTEST_WAIT_S, Math.min(LONGEST_WAIT_S, empty.next_free_in_seconds ?? LONGEST_WAIT_S));
  const opensRounds = hasRole(roleIn(useUser(), slug), "researcher");
  const left = useCountdown(wait, empty, onRetry, empty.code !== "project_archived");
  return (
    <main>
      <EmptyState
        mark={<Mark of={empty.code === "all_done_for_you" ? "done" : "empty"} />}
        title={TITLES[empty.code] ?? "Nothing to label"}
        actions={
          <>
            <Button kind="primary" onClick={onRetry} disabled={checking}>
              {checking ? "Looking…" : "Look now"}
            </Button>
            {empty.code === "no_open_round" && opensRounds && (
              <ButtonLink to={`/projects/${slug}/rounds/new`}>New round</ButtonLink>
            )}
            <ButtonLink to={`/projects/${slug}/my-work`}>My work</ButtonLink>
            <ButtonLink to="/projects">Projects</ButtonLink>
          </>
        }
      >
        <p>{empty.detail}</p>
        {left !== null && <p className="tabular">This page checks again in {left} s.</p>}
      </EmptyState>
    </main>
  );
}

/** Return the seconds until `done` is called, or null if not running. Restarts whenever `restart` changes. */
function useCountdown(seconds: number, restart: unknown, done: () => void, runs: boolean): number | null {
  const [left, setLeft] = useState(seconds);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer of the server starts the countdown again
  useEffect(() => setLeft(seconds), [seconds, restart]);
  useEffect(() => {
    if (!runs) return;
    if (left <= 0) {
      done();
      setLeft(seconds);
      return;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left, runs, done, seconds]);
  return runs ? left : null;
}

interface WaitingScreenProps {
  slug: string;
  queued: number;
  unreachable: boolean;
  onRetry: () => void;
}

/** Offline, or the server is slow: the work is safe, but the next task needs the network. */
export function WaitingScreen({ slug, queued, unreachable, onRetry }: WaitingScreenProps) {
  return (
    <main>
      <EmptyState
        mark={<Mark of={unreachable ? "offline" : "empty"} />}
        title={unreachable ? unreachableWords() : "Fetching the next task…"}
        actions={
          <>
            <Button kind="primary" onClick={onRetry}>
              Try now
            </Button>
            <ButtonLink to={`/projects/${slug}/my-work`}>My work</ButtonLink>
          </>
        }
      >
        {queued > 0 && (
          <p>
            {countOf(queued, "submission")} on this device {queued === 1 ? "is" : "are"} sent when the server answers.
          </p>
        )}
        {unreachable && <p>The next task appears when the server answers.</p>}
      </EmptyState>
    </main>
  );
}

const unreachableWords = () =>
  navigator.onLine ? "The server is not responding properly" : "No connection to the server";

interface OtherTabScreenProps {
  onTakeOver: () => void;
}

export function OtherTabScreen({ onTakeOver }: OtherTabScreenProps) {
  return (
    <main>
      <EmptyState
        mark={<Mark of="tabs" />}
        title="You are labeling in another tab"
        actions={
          <>
            <Button kind="primary" onClick={onTakeOver}>
              Take over here
            </Button>
            <ButtonLink to="/projects">Projects</ButtonLink>
          </>
        }
      >
        <p>Only one tab at a time keeps the draft and counts your time. Taking over moves all your work here.</p>
      </EmptyState>
    </main>
  );
}
