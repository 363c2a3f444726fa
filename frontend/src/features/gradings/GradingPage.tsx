import { useEffect, useEffectEvent, useState } from "react";
import { useParams } from "react-router";
import type { Grading } from "@/api/roundTypes";
import { useWaiting } from "@/api/waiting";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { ShareBar } from "@/ui/charts/ShareBar";
import { countOf, formatDateTime } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { TriedAgain } from "@/ui/TriedAgain";
import { Waiting } from "@/ui/Waiting";
import { Differences } from "./Differences";
import classes from "./gradings.module.css";
import { adviceFor, kindWords, scopeName, standing } from "./gradingWords";
import { NotGraded } from "./NotGraded";
import { isListed, isOver, useForgetOutcomes, useGrading, useGradingAction } from "./queries";

/** One grading: its progress, what would change, and the buttons that apply or stop it. */
export function GradingPage() {
  const { slug = "", gradingId } = useParams();
  const grading = useGrading(Number(gradingId));
  const applied = grading.data?.stage === "applying" && isOver(grading.data);
  const forget = useEffectEvent(useForgetOutcomes(slug));
  useEffect(() => {
    if (applied) void forget();
  }, [applied]);
  return (
    <>
      <PageHeading
        title={`Grading ${gradingId}`}
        actions={grading.data && <Actions slug={slug} grading={grading.data} />}
      >
        {grading.data && <JobMark status={grading.data.status} />}
      </PageHeading>
      {grading.isPending && <SkeletonLines lines={8} />}
      {grading.isError && !grading.data && (
        <ErrorState inline error={grading.error} retry={() => void grading.refetch()} />
      )}
      {grading.data && <Body slug={slug} grading={grading.data} />}
    </>
  );
}

function Body({ slug, grading }: { slug: string; grading: Grading }) {
  const { counts } = grading;
  const graded = counts.correct + counts.wrong + counts.ungraded;
  return (
    <>
      {isOver(grading) ? <Outcome grading={grading} /> : <Running grading={grading} />}
      {graded > 0 && (
        <Panel
          title="What it found"
          note={`${countOf(graded, "trace")}, answers compared ${kindWords(grading.answer_kind)}.`}
        >
          <ShareBar
            shares={[
              { name: "right answer", count: counts.correct, tone: "plus" },
              { name: "wrong answer", count: counts.wrong, tone: "minus" },
              { name: "not graded", count: counts.ungraded, tone: "zero" },
            ]}
          />
        </Panel>
      )}
      <Differences slug={slug} grading={grading} />
      {isListed(grading) && <NotGraded slug={slug} grading={grading} />}
      <Panel title="How it was made">
        <Facts
          facts={[
            ["Traces", scopeName(grading.scope)],
            ["Grader", grading.grader_version],
            ["Asked by", grading.created_by?.display_name ?? "the machine"],
            ["Asked", formatDateTime(grading.created_at)],
            ["Applied by", grading.applied_at ? (grading.applied_by?.display_name ?? "the machine") : "nobody"],
            ["Applied", grading.applied_at ? formatDateTime(grading.applied_at) : "no"],
          ]}
        />
      </Panel>
    </>
  );
}

function Running({ grading }: { grading: Grading }) {
  const ahead = useWaiting("gradingjob", grading.id, grading.status === "queued");
  const known = grading.stage === "grading" && grading.traces_total > 0;
  return (
    <Panel>
      <TriedAgain error={grading.error} />
      <div className={classes.running}>
        <ProgressLine label="Grading" done={grading.traces_done} total={known ? grading.traces_total : null} />
        <span aria-live="polite">{grading.status === "queued" ? <Waiting on={ahead} /> : standing(grading)}</span>
      </div>
    </Panel>
  );
}

function Outcome({ grading }: { grading: Grading }) {
  const tone =
    grading.status === "failed"
      ? "bad"
      : grading.status === "cancelled"
        ? "info"
        : grading.differences > grading.kept && grading.stage === "grading"
          ? "warn"
          : "good";
  const stale = grading.stage === "grading" && grading.status === "succeeded" && !grading.can_apply;
  return (
    <Notice tone={tone} title={standing(grading)}>
      {stale && "A later grading was started, so this one can no longer be applied. "}
      {adviceFor(grading)}
    </Notice>
  );
}

function unticked({ left_out }: Grading): string {
  return left_out > 0 ? ` ${countOf(left_out, "unticked one stays", "unticked ones stay")} as it was.` : "";
}

function Actions({ slug, grading }: { slug: string; grading: Grading }) {
  const act = useGradingAction(slug, grading.id);
  const [asking, setAsking] = useState<"apply" | "cancel" | null>(null);
  const [shown, setShown] = useState<"apply" | "cancel">("apply");
  const ask = (action: "apply" | "cancel") => {
    setShown(action);
    setAsking(action);
  };
  const changes = grading.differences - grading.kept - grading.left_out;
  const words = {
    apply: {
      title: "Apply this grading?",
      confirm: "Apply",
      says: `${countOf(changes, "trace gets", "traces get")} the outcome that the grader found.${unticked(grading)} Traces that changed since then are left alone. Open rounds keep their tasks.`,
    },
    cancel: {
      title: "Stop this grading?",
      confirm: "Stop it",
      says:
        grading.stage === "applying"
          ? "Outcomes that have already changed stay changed. The others stay as they were."
          : "No trace is changed. The results so far are discarded.",
    },
  }[shown];
  return (
    <>
      {!isOver(grading) && <Button onClick={() => ask("cancel")}>Stop</Button>}
      {grading.can_apply && changes > 0 && (
        <Button kind="primary" onClick={() => ask("apply")}>
          Apply {countOf(changes, "change")}
        </Button>
      )}
      <ConfirmDialog
        opened={asking !== null}
        title={words.title}
        confirm={words.confirm}
        danger={shown === "cancel"}
        onConfirm={async () => asking && (await act.mutateAsync(asking))}
        onClose={() => setAsking(null)}
      >
        {words.says}
      </ConfirmDialog>
    </>
  );
}
