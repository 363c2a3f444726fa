import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Screening } from "@/api/qualityTypes";
import type { EmptyQueue } from "@/api/types";
import { Button, ButtonLink } from "@/ui/Button";
import { IntervalBar } from "@/ui/charts/IntervalBar";
import { intervalWords } from "@/ui/charts/IntervalRows";
import { countOf, formatDateTime } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import { EmptyState, ErrorState } from "@/ui/states";
import { LoadingDesk } from "./LoadingDesk";
import { myQualityQuery, retryScreening } from "./queries";
import classes from "./Screening.module.css";

/** The end of an attempt: admitted, not yet, or not at all; and what happens next. */
export function ScreeningResult({ slug, onStart }: { slug: string; onStart: () => void }) {
  const standing = useQuery(myQualityQuery(slug));
  if (standing.isPending) return <LoadingDesk />;
  const screening = standing.data?.screening;
  if (!screening || screening.passed === null) {
    return <ErrorState error={standing.error} retry={() => void standing.refetch()} />;
  }
  if (!screening.admitted) return <NotAdmitted slug={slug} screening={screening} onStart={onStart} />;
  return (
    <main>
      <EmptyState
        mark="✓"
        title="You passed the screening"
        actions={
          <Button kind="primary" onClick={onStart} autoFocus>
            Start labeling
          </Button>
        }
      >
        <p>
          {screening.passed} of {countOf(screening.of, "answer")} accepted; {screening.needed} needed.
        </p>
        <p>From now on you get real work. You get no more feedback after each task.</p>
      </EmptyState>
    </main>
  );
}

interface NotAdmittedProps {
  slug: string;
  screening: Screening;
  onStart: () => void;
}

function NotAdmitted({ slug, screening, onStart }: NotAdmittedProps) {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => retryScreening(slug),
    onSuccess: (standing) => {
      client.setQueryData(myQualityQuery(slug).queryKey, standing);
      onStart();
    },
  });
  const again = screening.attempts_left > 0;
  return (
    <main>
      <EmptyState
        mark="✕"
        title={again ? "Not passed yet" : "You did not pass the screening"}
        actions={
          <>
            {again && (
              <Button kind="primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
                {retry.isPending ? "Preparing…" : "Try again"}
              </Button>
            )}
            <ButtonLink to={`/projects/${slug}/guidelines`}>Read the guidelines</ButtonLink>
            <ButtonLink to="/projects">Projects</ButtonLink>
          </>
        }
      >
        <p>
          {screening.passed} of {countOf(screening.of, "answer")} accepted; {screening.needed} needed.
        </p>
        <p>
          {again
            ? `You can try ${screening.attempts_left === 1 ? "once" : `${screening.attempts_left} times`} more. Read the guidelines first.`
            : "There is no work for you here. Ask a project admin to admit you or to allow another try."}
        </p>
        <ErrorNotice error={retry.error} />
      </EmptyState>
    </main>
  );
}

/** Why the labeler gets no tasks: their own figures, the rule, and who can change it. */
export function PausedScreen({ slug, empty, onRetry }: { slug: string; empty: EmptyQueue; onRetry: () => void }) {
  const standing = useQuery({ ...myQualityQuery(slug), refetchInterval: 60_000 });
  const pause = standing.data?.pause;
  const resumed = standing.data?.state === "working";
  useEffect(() => {
    if (resumed) onRetry();
  }, [resumed, onRetry]);
  if (standing.isPending) return <LoadingDesk />;
  const agreement = pause?.agreement;
  return (
    <main>
      <EmptyState
        mark="Ⅱ"
        title="You are paused"
        actions={
          <>
            <Button
              onClick={() => {
                void standing.refetch();
                onRetry();
              }}
            >
              Look again
            </Button>
            <ButtonLink to={`/projects/${slug}/guidelines`}>Guidelines</ButtonLink>
            <ButtonLink to={`/projects/${slug}/my-work`}>My work</ButtonLink>
            <ButtonLink to="/notices">Notices</ButtonLink>
          </>
        }
      >
        <p>{empty.detail} None of your work is lost.</p>
        {pause && !pause.by_rule && pause.reason && (
          <blockquote className={`${classes.paragraph} ${classes.reason}`}>{pause.reason}</blockquote>
        )}
        {pause && agreement && (
          <div className={classes.why}>
            <p>
              Some of your tasks had a known first error. You agreed with{" "}
              {intervalWords({ part: pause.passed ?? 0, whole: agreement.n, low: agreement.low, high: agreement.high })}
              .
            </p>
            <IntervalBar
              value={agreement.value}
              low={agreement.low}
              high={agreement.high}
              bar={pause.bar}
              tone="minus"
            />
            <p>
              The project asks for {Math.round(pause.bar * 100)} % (the line). You were paused because even the upper
              end of your interval is below it.
            </p>
          </div>
        )}
        {pause && <p>Since {formatDateTime(pause.since)}.</p>}
      </EmptyState>
    </main>
  );
}
