import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect } from "react";
import { Navigate, useNavigate } from "react-router";
import { newId } from "@/api/journal";
import { useSubmittedPath } from "@/api/paths";
import { useSession as useLogin, useUser } from "@/api/session";
import type { Label } from "@/api/types";
import { type Desk, useOutbox } from "@/api/useDesk";
import { CHOOSE_STEP } from "@/protocol/choose_step/rules";
import { Button, ButtonLink } from "@/ui/Button";
import { formatDateTime } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { PathView } from "@/ui/trace/PathView";
import { LoadingDesk } from "./LoadingDesk";
import { LabelSession } from "./labelSession";
import { unsentOf } from "./ownProgress";
import { getLabel, queueKey, resumeLabel } from "./queries";
import { useSession, useShelf } from "./useLabelingRoom";
import { Workbench } from "./Workbench";

const REVISING = { words: "Revising a submitted label; it counts until you submit the revision." };

interface OneLabelRoomProps {
  slug: string;
  labelId: number;
  desk: Desk;
}

/** One of the labeler's own labels: a submitted one to revise, or an expired one to continue. */
export function OneLabelRoom({ slug, labelId, desk }: OneLabelRoomProps) {
  const label = useQuery({
    queryKey: ["label", labelId],
    queryFn: () => getLabel(labelId),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    networkMode: "always",
  });
  const back = <ButtonLink to={`/projects/${slug}/my-work`}>My work</ButtonLink>;
  if (label.isPending) return <LoadingDesk />;
  if (label.isError) return <ErrorState error={label.error} retry={() => void label.refetch()} actions={back} />;
  const { status, protocol } = label.data;
  const until = protocol === CHOOSE_STEP.name ? null : label.data.can_revise_until; // a path cannot be revised
  if (status === "open" || status === "prefetched") return <Navigate to={`/projects/${slug}/label`} replace />;
  if (status === "expired" || status === "released") return <ResumeScreen slug={slug} label={label.data} />;
  if (status === "submitted" && until && Date.parse(until) > Date.now()) {
    return <ReviseDesk slug={slug} label={label.data} desk={desk} />;
  }
  if (protocol === CHOOSE_STEP.name) return <OwnPath label={label.data} back={back} />;
  return (
    <main>
      <EmptyState title="This label can no longer be changed" actions={back}>
        <p>
          {status === "superseded"
            ? "You revised it; the list has the newer version."
            : `The time to revise it ended${until ? ` on ${formatDateTime(until)}` : ""}.`}
        </p>
      </EmptyState>
    </main>
  );
}

/** A submitted path by the labeler, read-only. */
function OwnPath({ label, back }: { label: Label; back: ReactNode }) {
  const path = useSubmittedPath(label.id);
  return (
    <main style={{ maxWidth: 900, margin: "0 auto", padding: "32px 20px" }}>
      <h1 style={{ margin: "0 0 14px", fontSize: 20 }}>Your path</h1>
      <div className="read" style={{ marginBottom: 20 }}>
        <MathText text={label.problem.text} />
      </div>
      {path.isPending && <SkeletonLines lines={6} label="Loading your path" />}
      {path.isError && <ErrorState inline error={path.error} retry={() => void path.refetch()} />}
      {path.data && <PathView path={path.data} raw={false} />}
      <p style={{ marginTop: 24 }}>{back}</p>
    </main>
  );
}

function ResumeScreen({ slug, label }: { slug: string; label: Label }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const user = useUser();
  const resume = useMutation({
    mutationFn: () => resumeLabel(label.id),
    onSuccess: () => {
      client.removeQueries({ queryKey: queueKey(user.id, slug) });
      void navigate(`/projects/${slug}/label`, { replace: true });
    },
  });
  return (
    <main>
      <EmptyState
        title={label.status === "released" ? "You no longer hold this task" : "The lease on this task has expired"}
        actions={
          <>
            <Button kind="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
              {resume.isPending ? "Asking…" : "Go on with it"}
            </Button>
            <ButtonLink to={`/projects/${slug}/my-work`}>My work</ButtonLink>
          </>
        }
      >
        <p>Your work is kept. If the slot is still free, you get it back; otherwise your label is kept as an extra.</p>
        {resume.isError && <p role="alert">{resume.error.message}</p>}
      </EmptyState>
    </main>
  );
}

function ReviseDesk({ slug, label, desk }: { slug: string; label: Label; desk: Desk }) {
  const user = useUser();
  const build = useLogin().data?.build ?? "";
  const navigate = useNavigate();
  const shelf = useShelf(user.id, desk.journal);
  const session = useSession(shelf, label);
  const { items, unreachable } = useOutbox(desk.outbox);
  useEffect(() => shelf.open(label, true), [shelf, label]);

  const submit = useCallback(() => {
    if (!session) return;
    const now = Date.now();
    const submission = session.submission(newId(), build, now);
    session.close();
    desk.outbox.enqueue({
      key: submission.idempotency_key,
      userId: user.id,
      labelId: label.id,
      slug,
      action: "revise",
      submission,
      problemText: label.problem.text.slice(0, 160),
      finish: submission.finish_reason,
      queuedAt: now,
      attempts: 0,
      refusal: null,
    });
    void desk.journal.deleteDraft(user.id, label.id);
    void navigate(`/projects/${slug}/my-work`);
  }, [session, label, build, desk, user.id, slug, navigate]);

  if (!(session instanceof LabelSession)) return <LoadingDesk />;
  return (
    <Workbench
      label={label}
      session={session}
      submitWords="Submit the revision"
      revisionOf={label.finished_at}
      canUndoSubmission={false}
      waiting={unsentOf([])}
      outbox={{ queued: items.length, unreachable, durable: desk.journal.durable }}
      newsWhile={() => REVISING}
      onSubmit={submit}
      onUndoSubmission={() => undefined}
    />
  );
}
