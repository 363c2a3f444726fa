import { Link, useParams } from "react-router";
import type { Incident } from "@/api/releaseTypes";
import { formatDateTime, formatDuration } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { useIncident } from "./queries";
import classes from "./releases.module.css";
import { saidWords } from "./releaseWords";
import { WentTo } from "./WentTo";

const RATINGS: Record<string, string> = { "-1": "−1", "0": "0", "1": "+1" };

/** Everything about one released label: where it came from, what reviewers did, and where else it went. */
export function IncidentPage() {
  const { releaseId, labelId } = useParams();
  const query = useIncident(Number(releaseId), Number(labelId));
  return (
    <>
      <PageHeading title={`Label ${labelId}`} />
      {query.isPending && <SkeletonLines lines={10} />}
      {query.isError && !query.data && <ErrorState inline error={query.error} retry={() => void query.refetch()} />}
      {query.data && <Shown label={query.data} />}
    </>
  );
}

function Shown({ label }: { label: Incident }) {
  const { slug = "", releaseId } = useParams();
  const project = `/projects/${slug}`;
  const labels = `${project}/releases/${releaseId}/labels`;
  return (
    <>
      <Panel title="The label">
        <Facts
          facts={[
            ["Says", saidWords(label.finish_reason, label.verdict)],
            ["Trace", <Link key="trace" to={`${project}/traces/${label.trace}`}>{`Trace ${label.trace}`}</Link>],
            ["Submitted", formatDateTime(label.submitted_at)],
            ["Active time", formatDuration(label.active_ms)],
            ["Guidelines", label.guideline_version === null ? "none" : `version ${label.guideline_version}`],
            [
              "Labeler",
              <Link key="labeler" to={`${labels}?labeler=${encodeURIComponent(label.labeler)}`}>
                {label.person?.display_name ?? label.labeler}
              </Link>,
            ],
            ["Earlier version", label.supersedes === null ? "none" : `label ${label.supersedes}`],
            ["Replaced by", label.superseded_by === null ? "nothing" : `label ${label.superseded_by}`],
          ]}
        />
        <ol className={classes.steps}>
          {label.steps.map((step, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other name
            <li key={place}>
              <span className={classes.rating}>{RATINGS[String(label.ratings[place])] ?? "not rated"}</span>
              {step}
            </li>
          ))}
        </ol>
      </Panel>
      <Panel title="Why it was chosen">
        <Facts
          facts={[
            ["Round", <Link key="round" to={`${project}/rounds/${label.round_id}`}>{`Round ${label.round}`}</Link>],
            ["Protocol", label.protocol.replaceAll("_", " ")],
            ["Reason", label.reason.replaceAll("_", " ") || "every trace of the round"],
            ["PRM", label.prm ?? "none"],
            ["Score then", label.score === null ? "none" : label.score.toFixed(3)],
          ]}
        />
      </Panel>
      <Panel title="Reviews">
        {label.decisions.length + label.audits.length === 0 && !label.ruling && (
          <p className={classes.quiet}>No reviewer has looked at it.</p>
        )}
        {label.ruling && (
          <p>
            Ruled by a reviewer: {saidWords(label.ruling.finish_reason, label.ruling.verdict)},{" "}
            {formatDateTime(label.ruling.submitted_at)}.
          </p>
        )}
        {label.decisions.map((one) => (
          <p key={one.kind}>
            {one.kind.replaceAll("_", " ")}: {one.outcome.replaceAll("_", " ")}. {one.reason}
          </p>
        ))}
        {label.audits.map((one) => (
          <p key={one.label_audit}>
            <Link to={`${project}/label-audits/${one.label_audit}`}>Label audit {one.label_audit}</Link>:{" "}
            {saidWords(one.finish_reason, one.verdict)}
          </p>
        ))}
        <p>
          <Link to={`${project}/tasks/${label.task}`}>Its task</Link>
        </p>
      </Panel>
      <Panel title="Where it went">
        <WentTo went={label.went_into} />
      </Panel>
    </>
  );
}
