import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { useFormatTitle } from "@/api/exportFormats";
import { fieldFault } from "@/api/fieldFaults";
import * as limits from "@/api/limits";
import { useProject } from "@/api/projects";
import type { Release } from "@/api/releaseTypes";
import { Button, ButtonLink, DownloadLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { CopyField } from "@/ui/CopyField";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { TextField } from "@/ui/Form";
import { FormatTitle } from "@/ui/FormatTitle";
import { countOf, formatBytes, formatCount, formatDateTime } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { Markdown } from "@/ui/Markdown";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Figure, Figures, Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { TriedAgain } from "@/ui/TriedAgain";
import { Overlaps } from "./Overlaps";
import { Questions } from "./Questions";
import { isOver, usePushRelease, useRelease, useReleaseCard, useReleaseStep, useRemoveDraft } from "./queries";
import { State } from "./ReleasesPage";
import classes from "./releases.module.css";
import { blankOnes } from "./releaseWords";

export function ReleasePage() {
  const { slug = "", releaseId } = useParams();
  const query = useRelease(Number(releaseId));
  const isAdmin = useProject(slug).data?.role === "admin";
  const release = query.data;
  const handedOut = release?.state === "released" && release.is_packed && release.files_at_hand;
  return (
    <>
      <PageHeading
        title={release ? `${release.name} v${release.version}` : `Release ${releaseId}`}
        actions={handedOut && <DownloadLink href={`/api/releases/${release.id}/download`}>Download</DownloadLink>}
      >
        {release && <State release={release} />}
      </PageHeading>
      {query.isPending && <SkeletonLines lines={8} />}
      {query.isError && !release && <ErrorState inline error={query.error} retry={() => void query.refetch()} />}
      {release && <Shown key={release.id} release={release} slug={slug} isAdmin={isAdmin} />}
    </>
  );
}

function Shown({ release, slug, isAdmin }: { release: Release; slug: string; isAdmin: boolean }) {
  const draft = release.state === "draft";
  return (
    <>
      <Now release={release} slug={slug} isAdmin={isAdmin} />
      {release.overlaps && <Overlaps slug={slug} overlaps={release.overlaps} />}
      {draft && <ImportedNames names={release.imported_names} />}
      {draft && isAdmin && release.overlaps && <Questions release={release} />}
      <Files release={release} />
      {release.state === "released" && release.files_at_hand && isAdmin && <Push release={release} />}
      {release.overlaps && <Card release={release} />}
      {draft && isAdmin && release.status === "succeeded" && <Publish release={release} />}
      {release.state === "released" && isAdmin && <Withdraw release={release} />}
      {draft && isAdmin && isOver(release) && <Remove release={release} slug={slug} />}
    </>
  );
}

/** Names that no salt hides, shown before they are published. */
function ImportedNames({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  return (
    <Notice tone="warn" title={`${countOf(names.length, "labeler")} from imports will be published by name`}>
      <p>
        {names.slice(0, 20).join(", ")}
        {names.length > 20 && ` and ${names.length - 20} more`}. Their names appear in the card, the rows and the
        differences. Labelers of this project appear there under salted ids.
      </p>
    </Notice>
  );
}

/** The state of the release, and what is holding it up. */
function Now({ release, slug, isAdmin }: { release: Release; slug: string; isAdmin: boolean }) {
  const step = useReleaseStep(release.id);
  const path = `/projects/${slug}/releases/${release.id}`;
  const blank = blankOnes(release).length;
  const again = release.state === "draft" ? "check" : "repack";
  return (
    <Panel>
      <ErrorNotice error={step.error} />
      <TriedAgain error={isOver(release) ? "" : release.error} />
      {!isOver(release) && (
        <p className={classes.lead} aria-live="polite">
          {release.state === "draft"
            ? "A worker is writing the exports, collecting what Stepmark knows, and comparing the problems with held-out texts."
            : "A worker is packing the folder."}
        </p>
      )}
      {release.status === "failed" && (
        <Notice tone="bad" title={release.state === "draft" ? "The check failed" : "Packing failed"}>
          <p>{release.error}</p>
          {isAdmin && (
            <Button onClick={() => step.mutate({ step: again })} disabled={step.isPending}>
              Try again
            </Button>
          )}
        </Notice>
      )}
      {release.state === "released" && release.status === "succeeded" && !release.files_at_hand && (
        <Notice tone="bad" title="Its files are no longer on the server">
          <p>Its labels and its card are kept, so the same files can be packed again.</p>
          {isAdmin && (
            <Button onClick={() => step.mutate({ step: "repack" })} disabled={step.isPending}>
              Pack it again
            </Button>
          )}
        </Notice>
      )}
      {release.state === "withdrawn" && (
        <Notice tone="bad" title={`Withdrawn by ${release.withdrawn_by?.display_name ?? "the machine"}`}>
          <p>{release.withdrawn_because}</p>
          <p>It can no longer be downloaded, and every later manifest of the project names it.</p>
        </Notice>
      )}
      {release.labels !== null && (
        <Figures>
          <Figure name="Labels" value={formatCount(release.labels)} />
          <Figure name="Files of rows" value={formatCount(release.exports.length)} />
          {release.bytes > 0 && <Figure name="Size" value={formatBytes(release.bytes)} />}
        </Figures>
      )}
      {release.without.map(({ labeler, labels }) => (
        <p key={labeler} className={classes.quiet}>
          Without {countOf(labels, "label")} of <span className={classes.id}>{labeler}</span>.
        </p>
      ))}
      <div className={classes.buttons}>
        {release.supersedes && release.labels !== null && (
          <ButtonLink to={`${path}/diff`}>{`What changed since v${release.supersedes.version}`}</ButtonLink>
        )}
        {release.labels !== null && <ButtonLink to={`${path}/labels`}>Labels and labelers</ButtonLink>}
        {release.state === "draft" && isAdmin && release.status === "succeeded" && (
          <a className={classes.link} href={blank > 0 ? "#questions" : "#release"}>
            {blank > 0 ? `${countOf(blank, "question")} to answer before it is released` : "Ready: to the release"}
          </a>
        )}
        {release.state === "draft" && isAdmin && release.status === "succeeded" && (
          <Button kind="plain" onClick={() => step.mutate({ step: "check" })} disabled={step.isPending}>
            Check again
          </Button>
        )}
      </div>
    </Panel>
  );
}

function Publish({ release }: { release: Release }) {
  const [asking, setAsking] = useState(false);
  const step = useReleaseStep(release.id);
  const blank = blankOnes(release);
  return (
    <Panel title="Release it" id="release">
      <p className={classes.quiet}>
        {blank.length > 0
          ? `${countOf(blank.length, "question")} without an answer: ${blank.join(", ")}.`
          : "Every question is answered. A release never changes, but a later version can replace it."}
      </p>
      <Button kind="primary" onClick={() => setAsking(true)} disabled={blank.length > 0}>
        Release
      </Button>
      <ConfirmDialog
        opened={asking}
        title={`Release ${release.name} v${release.version}?`}
        confirm="Release"
        lasting
        onConfirm={() => step.mutateAsync({ step: "publish" })}
        onClose={() => setAsking(false)}
      >
        <p>Its files and its card can no longer change.</p>
      </ConfirmDialog>
    </Panel>
  );
}

const files: TableColumn<Release["exports"][number]>[] = [
  { name: "File", main: true, cell: (one) => <span className={classes.id}>{one.path}</span> },
  { name: "Format", cell: (one) => <ExportFormat name={one.format} /> },
  { name: "Rows", align: "right", cell: (one) => formatCount(one.rows) },
  { name: "Labels", align: "right", cell: (one) => formatCount(one.labels) },
  { name: "SHA-256", cell: (one) => <span className={classes.id}>{one.sha256.slice(0, 16)}…</span> },
];

function ExportFormat({ name }: { name: string }) {
  return <FormatTitle title={useFormatTitle(name)} id={name} />;
}

function Files({ release }: { release: Release }) {
  const facts: [string, string][] = release.released_at
    ? [
        ["Released", formatDateTime(release.released_at)],
        ["By", release.released_by?.display_name ?? "the machine"],
      ]
    : [["Drafted", formatDateTime(release.created_at)]];
  return (
    <Panel
      title="Files"
      note="The rows come with README.md, LICENSE, croissant.json, and MANIFEST.json with the hash of each file."
    >
      <Facts facts={facts} />
      <DataTable caption="Files of rows" columns={files} rows={release.exports} rowKey={(one) => one.id} />
      {release.manifest_sha256 && (
        <>
          <p className={classes.quiet}>SHA-256 of MANIFEST.json</p>
          <CopyField label="SHA-256 of MANIFEST.json" value={release.manifest_sha256} />
        </>
      )}
    </Panel>
  );
}

function Push({ release }: { release: Release }) {
  const push = usePushRelease(release.id);
  return (
    <Panel title="Push" note="To a place that the operator set up, with its own token.">
      <ErrorNotice error={push.error} />
      {release.targets.length === 0 && (
        <p className={classes.quiet}>
          The operator has not set up a place to push to (RELEASE_TARGETS). The download holds the same files.
        </p>
      )}
      <div className={classes.buttons}>
        {release.targets.map((target) => (
          <Button key={target} onClick={() => push.mutate(target)} disabled={push.isPending}>
            {`Push to ${target}`}
          </Button>
        ))}
      </div>
      {release.pushes.map((one) => (
        <div key={one.id}>
          <p>
            {one.target} <JobMark status={one.status} />{" "}
            {one.address && (
              <a href={one.address} rel="noreferrer">
                {one.address}
              </a>
            )}
          </p>
          {one.error && <p className={classes.quiet}>{one.error}</p>}
        </div>
      ))}
    </Panel>
  );
}

function Card({ release }: { release: Release }) {
  const card = useReleaseCard(release);
  return (
    <Panel title="Card" note="The folder’s README.md, with the front matter that the Hugging Face Hub reads.">
      {card.isPending && <SkeletonLines lines={10} />}
      {card.isError && <ErrorState inline error={card.error} retry={() => void card.refetch()} />}
      {card.data && (
        <>
          <pre className={classes.front}>{card.data.front_matter}</pre>
          <div className={classes.card}>
            <Markdown source={card.data.markdown} />
          </div>
        </>
      )}
    </Panel>
  );
}

function Remove({ release, slug }: { release: Release; slug: string }) {
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const remove = useRemoveDraft(release.id, slug);
  const title = `${release.name} v${release.version}`;
  return (
    <Panel title="Remove this draft" note="It is not released yet. Its exports stay.">
      <Button kind="danger" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <ConfirmDialog
        opened={asking}
        title={`Remove the draft ${title}?`}
        confirm="Remove"
        danger
        onConfirm={async () => {
          await remove.mutateAsync();
          await navigate(`/projects/${slug}/releases`);
        }}
        onClose={() => setAsking(false)}
      >
        <p>Your answers for its card are deleted too. The next release with this name reuses the version number.</p>
      </ConfirmDialog>
    </Panel>
  );
}

function Withdraw({ release }: { release: Release }) {
  const [asking, setAsking] = useState(false);
  const [because, setBecause] = useState("");
  const navigate = useNavigate();
  const step = useReleaseStep(release.id);
  return (
    <Panel title="Withdraw it" note="For a fault that others need to know about.">
      <div className={classes.buttons}>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Withdraw
        </Button>
        <Button kind="plain" onClick={() => void navigate("labels")}>
          A labeler was faulty
        </Button>
      </div>
      <ConfirmDialog
        opened={asking}
        title={`Withdraw ${release.name} v${release.version}?`}
        confirm="Withdraw"
        danger
        onConfirm={() => step.mutateAsync({ step: "withdraw", because })}
        onClose={() => setAsking(false)}
      >
        <p>
          It can no longer be downloaded. Others keep the copies they have. Every later manifest says that this release
          was withdrawn, and why.
        </p>
        <TextField
          label="Why"
          value={because}
          {...limits.WithdrawReleaseIn.because}
          error={fieldFault(step.error, "because")}
          onChange={setBecause}
        />
      </ConfirmDialog>
    </Panel>
  );
}
