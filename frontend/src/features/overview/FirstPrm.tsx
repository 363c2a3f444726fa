import { ButtonLink } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { runStanding } from "@/ui/trainingWords";
import { useFreshCurve, useTrainingUnderWay } from "./queries";

/** Imported labels are enough to start with: what they teach can choose the next round. */
export function FirstPrm({ slug, labels }: { slug: string; labels: number }) {
  const { data: run, isPending } = useTrainingUnderWay(slug);
  useFreshCurve(slug, Boolean(run));
  if (isPending) return null;
  const came = `${countOf(labels, "label")} came with imports.`;
  if (run) {
    return (
      <Panel
        title={run.status === "running" ? "A PRM is being trained" : "The training of a PRM is waiting for a worker"}
        actions={<ButtonLink to={`/projects/${slug}/prms/runs/${run.id}`}>See its progress</ButtonLink>}
      >
        <p aria-live="polite">
          {came} {run.name || `Training ${run.id}`}: {runStanding(run)}
        </p>
      </Panel>
    );
  }
  return (
    <Panel
      title="Imported labels can teach a first PRM"
      actions={
        <ButtonLink kind="primary" to={`/projects/${slug}/prms/train`}>
          Train a first PRM from these labels
        </ButtonLink>
      }
    >
      <p>{came} A PRM trained on them can choose which traces are labeled first.</p>
    </Panel>
  );
}
