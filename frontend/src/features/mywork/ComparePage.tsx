import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useParams } from "react-router";
import { ofLabel } from "@/api/runSteps";
import type { ComparedLabel, Comparison, FinishReason } from "@/api/types";
import { ButtonLink } from "@/ui/Button";
import { formatDateTime } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { useRunUnits } from "@/ui/run/useRunUnits";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { LabelMatrix } from "@/ui/trace/LabelMatrix";
import { LabelVerdicts } from "@/ui/trace/LabelVerdicts";
import type { ShownLabel } from "@/ui/trace/shownLabel";
import { OutcomeMark, useRawText } from "@/ui/trace/TraceText";
import { stepName } from "@/ui/trace/words";
import { comparisonQuery } from "./queries";

/** What one labeler said about a trace, next to what the others said, after it was settled. */
export function ComparePage() {
  const { slug = "", labelId } = useParams();
  const comparison = useQuery(comparisonQuery(Number(labelId)));
  const { raw, toggle } = useRawText();
  const back = <ButtonLink to={`/projects/${slug}/my-work`}>Back to My work</ButtonLink>;
  return (
    <>
      <PageHeading
        title="Compare"
        actions={
          <>
            {back}
            {comparison.data && toggle}
          </>
        }
      />
      {comparison.isPending && <SkeletonLines lines={10} />}
      {comparison.isError && (
        <ErrorState inline title="Nothing to compare yet" error={comparison.error} actions={back} />
      )}
      {comparison.data && <Compared comparison={comparison.data} raw={raw} />}
    </>
  );
}

function Compared({ comparison, raw }: { comparison: Comparison; raw: boolean }) {
  const labels = comparison.labels.map(shown);
  const run = useRunUnits(comparison.typed_steps, comparison.steps.length, ofLabel, comparison.label_id);
  return (
    <>
      <Panel title="Settled" note={settledWords(comparison)}>
        <div className="read">
          <MathText text={comparison.problem_text} raw={raw} />
        </div>
        <Facts
          facts={[
            ["Current guess of the answer", <MathText key="answer" text={comparison.answer ?? "none"} raw={raw} />],
            ...comparison.accepted_answers.map((answer): [string, ReactNode] => [
              "Right too",
              <MathText key={answer} text={answer} raw={raw} />,
            ]),
            ["Outcome", <OutcomeMark key="outcome" outcome={comparison.outcome} />],
            ["Settled", formatDateTime(comparison.settled_at)],
          ]}
        />
      </Panel>
      <Panel bare title="Step by step">
        <LabelMatrix steps={comparison.steps} labels={labels} alternatives={[]} raw={raw} run={run} />
      </Panel>
      <Panel bare title="In words">
        <LabelVerdicts labels={labels} />
      </Panel>
    </>
  );
}

/** "Enough labelers agree: the first error is in step 3. You said: an error in step 4." */
function settledWords({ settlement, verdict, labels }: Comparison): string {
  const by = settlement === "ruled" ? "A reviewer settled it" : "Enough labelers agree";
  const what =
    verdict === null
      ? "this is a bad problem"
      : verdict === -1
        ? "there is no error"
        : `the first error is in ${stepName(verdict)}`;
  const mine = labels.find((label) => label.mine);
  return `${by}: ${what}. ${mine ? `You said: ${saidWords(mine)}.` : ""}`.trim();
}

const SAID: Record<FinishReason, string> = {
  found_error: "–",
  solution: "no error",
  bad_problem: "a bad problem",
  give_up: "nothing, you gave up",
};

function saidWords({ finish_reason, verdict }: ComparedLabel): string {
  if (finish_reason === "found_error" && verdict !== null) return `an error in ${stepName(verdict)}`;
  return SAID[finish_reason];
}

function nameOf({ mine, ruling, number }: ComparedLabel): string {
  if (mine) return "You";
  return ruling ? "Reviewer" : `Labeler ${number}`;
}

/** Return a label as the shared tables need it, without what is not shown here. */
function shown(label: ComparedLabel): ShownLabel {
  return {
    ...label,
    id: label.number,
    labeler: { id: label.number, display_name: nameOf(label) },
    status: "submitted",
    submitted_at: null,
    active_ms: 0,
    total_ms: null,
    noticed_at_step: null,
    surplus: false,
    carried: [],
    step_active_ms: [],
    alternatives: [],
    comments: [],
    reports: [],
    confirmations: [],
    guideline_version: null,
    scores_revealed_at: null,
    edited_after_reveal: false,
  };
}
