import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { api } from "@/api/client";
import { useSubmittedPath } from "@/api/paths";
import { ofLabel } from "@/api/runSteps";
import type { Label, Submission } from "@/api/types";
import { CHOOSE_STEP } from "@/protocol/choose_step/rules";
import type { Ratings } from "@/protocol/interface";
import { protocolNamed } from "@/protocol/registry";
import { ButtonLink } from "@/ui/Button";
import { formatDateTime } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { useRunUnits } from "@/ui/run/useRunUnits";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { LabelMatrix } from "@/ui/trace/LabelMatrix";
import { LabelVerdicts } from "@/ui/trace/LabelVerdicts";
import { PathView } from "@/ui/trace/PathView";
import type { ShownLabel } from "@/ui/trace/shownLabel";
import { useRawText } from "@/ui/trace/TraceText";
import { nextAction, revisionFacts } from "./historyColumns";
import classes from "./mywork.module.css";

/** One of your own labels, readable at any time, whatever happened to it. */
export function MyLabelPage() {
  const { slug = "", labelId = "" } = useParams();
  const label = useQuery({
    queryKey: ["my-label", Number(labelId)],
    queryFn: ({ signal }) => api.get<Label>(`/api/labels/${labelId}`, { signal }),
    staleTime: 0,
  });
  const { raw, toggle } = useRawText();
  const action = label.data ? nextAction(label.data, Date.now()) : null;
  return (
    <>
      <PageHeading
        title="Your label"
        actions={
          <>
            <ButtonLink to={`/projects/${slug}/my-work`}>Back to My work</ButtonLink>
            {label.data && toggle}
            {action && (
              <ButtonLink kind="primary" to={`/projects/${slug}/label/${labelId}`}>
                {action}
              </ButtonLink>
            )}
          </>
        }
      />
      {label.isPending && <SkeletonLines lines={10} />}
      {label.isError && <ErrorState inline error={label.error} retry={() => void label.refetch()} />}
      {label.data && <Shown label={label.data} raw={raw} />}
    </>
  );
}

function Shown({ label, raw }: { label: Label; raw: boolean }) {
  const { problem } = label;
  const said = saidOf(label);
  const run = useRunUnits(label.typed_steps, label.steps.length, ofLabel, label.id);
  return (
    <>
      <Panel title="Problem" note={whenWords(label)}>
        <div className={`read ${classes.problem}`}>
          <MathText text={problem.text} raw={raw} />
        </div>
        <Facts
          facts={[
            ["Current guess of the answer", <MathText key="answer" text={problem.answer ?? "none"} raw={raw} />],
            ...revisionFacts(label, Date.now()),
          ]}
        />
      </Panel>
      {label.protocol === CHOOSE_STEP.name ? (
        <MyPath label={label} raw={raw} />
      ) : (
        <Panel bare title="Step by step">
          <LabelMatrix steps={label.steps} labels={[said]} alternatives={alternativesOf(label)} raw={raw} run={run} />
        </Panel>
      )}
      <Panel bare title="In words">
        {label.submission ? (
          <LabelVerdicts labels={[said]} />
        ) : (
          <EmptyState inline title="Not submitted">
            <p>These are the ratings of your draft.</p>
          </EmptyState>
        )}
      </Panel>
    </>
  );
}

/** The path as it was made, with everything that was offered on the way. */
function MyPath({ label, raw }: { label: Label; raw: boolean }) {
  const path = useSubmittedPath(label.id);
  return (
    <Panel
      bare
      title="Your path"
      note={label.finished_at ? undefined : "Not submitted: the steps you have chosen so far."}
    >
      {path.data && path.data.steps.length === 0 && <EmptyState inline title="No step was chosen" />}
      {path.data && <PathView path={path.data} raw={raw} />}
      {path.isPending && <SkeletonLines lines={6} label="Loading the path" />}
      {path.isError && <ErrorState inline error={path.error} retry={() => void path.refetch()} />}
    </Panel>
  );
}

function whenWords({ finished_at, round, status }: Label): string {
  const where = round.number < 0 ? "screening" : round.name || `round ${round.number}`;
  if (status === "superseded") return `${where} · an older version: you revised it`;
  return finished_at ? `${where} · submitted ${formatDateTime(finished_at)}` : `${where} · not submitted`;
}

function alternativesOf(label: Label) {
  return label.alternatives.map((one) => ({ ...one, source: "" }));
}

interface KeptDraft {
  content?: { ratings?: Ratings };
}

/** Return a label as the shared tables need it: from what was submitted, otherwise from the draft. */
function saidOf(label: Label): ShownLabel {
  const said = label.submission as Submission | null;
  const ratings = said?.ratings ?? (label.draft as KeptDraft | null)?.content?.ratings ?? [];
  return {
    id: label.id,
    labeler: { id: 0, display_name: "You" },
    status: label.status,
    finish_reason: said?.finish_reason ?? null,
    finish_detail: said?.finish_detail ?? {},
    submitted_at: label.finished_at,
    active_ms: 0,
    total_ms: said?.total_ms ?? null,
    verdict: said ? protocolNamed(label.protocol).verdict(ratings, said.finish_reason) : null,
    noticed_at_step: said?.noticed_at_step ?? null,
    surplus: label.surplus,
    ratings: label.steps.map((_, step) => ratings[step] ?? null),
    carried: [],
    step_active_ms: [],
    mistake: said?.mistake
      ? {
          ...said.mistake,
          progress: said.mistake.progress ?? null,
          explanation: said.mistake.explanation ?? "",
          corrected_step: said.mistake.corrected_step ?? "",
        }
      : null,
    alternatives: (said?.alternatives ?? []).map((one) => ({
      completion: one.completion,
      step: label.alternatives.find(({ id }) => id === one.completion)?.step ?? 0,
      rating: one.rating ?? null,
      flagged: one.flagged ?? null,
      chosen: false,
    })),
    comments: said?.comments ?? [],
    reports: (said?.reports ?? []).map((one) => ({ kind: one.kind, step: one.step ?? null, text: one.text ?? "" })),
    confirmations: said?.confirmations ?? [],
    guideline_version: label.guideline_version || null,
    scores_revealed_at: null,
    edited_after_reveal: false,
  };
}
