import { Link, useParams } from "react-router";
import type { Incident } from "@/api/releaseTypes";
import { activeWords, formatCount, formatDateTime } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
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
      <p>
        <Link className={classes.link} to={labels}>
          All labels of the release
        </Link>
      </p>
      <Panel title="The label">
        <Facts
          facts={[
            ["Says", saidWords(label.finish_reason, label.verdict)],
            [
              "Trace",
              <Link
                key="trace"
                className={classes.link}
                to={`${project}/traces/${label.trace}`}
              >{`Trace ${label.trace}`}</Link>,
            ],
            ["Submitted", formatDateTime(label.submitted_at)],
            ["Active time", activeWords(label.active_ms)],
            ["Guidelines", label.guideline_version === null ? "none" : `version ${label.guideline_version}`],
            [
              "Labeler",
              <Link
                key="labeler"
                className={classes.link}
                to={`${labels}?labeler=${encodeURIComponent(label.labeler)}`}
              >
                {label.person?.display_name ?? label.labeler}
              </Link>,
            ],
            ["Row", <Places key="places" places={label.places} />],
            [
              "Earlier version",
              <Other key="earlier" none="none" label={label.supersedes} release={label.earlier_release} />,
            ],
            [
              "Replaced by",
              <Other key="later" none="nothing" label={label.superseded_by} release={label.later_release} />,
            ],
          ]}
        />
        <ol className={classes.steps}>
          {label.steps.map((step, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other key
            <li key={place}>
              <span className={classes.rating}>{RATINGS[String(label.ratings[place])] ?? "not rated"}</span>
              <div className={classes.step}>
                <MathText text={step} />
              </div>
            </li>
          ))}
        </ol>
      </Panel>
      <Panel title="Why it was chosen">
        <Facts
          facts={[
            [
              "Round",
              <Link
                key="round"
                className={classes.link}
                to={`${project}/rounds/${label.round_id}`}
              >{`Round ${label.round}`}</Link>,
            ],
            ["Protocol", label.protocol.replaceAll("_", " ")],
            ["Reason", label.reason.replaceAll("_", " ") || "every trace of the round"],
            ["PRM", label.prm ?? "none"],
            ["Score then", label.score === null ? "none" : label.score.toFixed(3)],
          ]}
        />
      </Panel>
      <Panel title="Reviews">
        {label.decisions.length + label.audits.length === 0 && !label.ruling && (
          <p className={classes.quiet}>No reviewer has looked at this label.</p>
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
            <Link className={classes.link} to={`${project}/label-audits/${one.label_audit}`}>
              Label audit {one.label_audit}
            </Link>
            : {saidWords(one.finish_reason, one.verdict)}
          </p>
        ))}
        <p>
          <Link className={classes.link} to={`${project}/tasks/${label.task}`}>
            Its task
          </Link>
        </p>
      </Panel>
      <Panel title="Where it went">
        <WentTo went={label.went_into} />
      </Panel>
    </>
  );
}

/** The rows that contain the label. A file whose rows are made of several labels has no number for one. */
function Places({ places }: { places: Incident["places"] }) {
  return places.map(({ file, number }) => (
    <div key={file} className={classes.id}>
      {number === null ? `${file} (its rows are not one label each)` : `${file}, row ${formatCount(number)}`}
    </div>
  ));
}

/** Another version of the label, if a release has it. */
function Other({ label, release, none }: { label: number | null; release: number | null; none: string }) {
  const { slug = "" } = useParams();
  if (label === null) return none;
  if (release === null) return `label ${label}, not in a release`;
  return (
    <Link className={classes.link} to={`/projects/${slug}/releases/${release}/labels/${label}`}>
      label {label}
    </Link>
  );
}
