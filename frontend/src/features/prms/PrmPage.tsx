import { useState } from "react";
import { Link, useParams } from "react-router";
import type { Prm } from "@/api/roundTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import { StartLink } from "@/ui/ActiveProject";
import { BaselineMark } from "@/ui/BaselineMark";
import { Button, ButtonLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatCount } from "@/ui/format";
import { learnedFrom } from "@/ui/learnedFrom";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { AGGREGATIONS, PRM_STATUSES, twinsOf } from "./prmWords";
import { useChangePrm, usePrms } from "./queries";
import { TryPrm } from "./TryPrm";

/** One PRM: whether it can be used, what is known about it, and what it says about a trace you enter. */
export function PrmPage() {
  const { slug = "", prmId } = useParams();
  const prms = usePrms(slug);
  const prm = prms.data?.find((one) => one.id === Number(prmId));
  if (prms.data && !prm) {
    return (
      <EmptyState
        title="This PRM does not exist here"
        actions={<ButtonLink to={`/projects/${slug}/prms`}>PRMs</ButtonLink>}
      />
    );
  }
  return (
    <>
      <PageHeading title={prm?.name ?? "PRM"} actions={prm && <Actions slug={slug} prm={prm} />}>
        {prm && <StatusMark tone={PRM_STATUSES[prm.status].tone}>{PRM_STATUSES[prm.status].name}</StatusMark>}
        {prm && <BaselineMark notBeaten={prm.baseline_not_beaten} />}
      </PageHeading>
      {prms.isPending && <SkeletonLines lines={8} />}
      {prms.isError && !prms.data && <ErrorState inline error={prms.error} retry={() => void prms.refetch()} />}
      {prm && (
        <>
          <Standing slug={slug} prm={prm} />
          <Twins of={prm} among={prms.data ?? []} />
          {prm.status === "ready" && prm.kind === "prm" && <TryPrm slug={slug} prm={prm} />}
          <Panel
            title="What is known about it"
            actions={
              prm.scale === "probability" &&
              prm.scored > 0 && (
                <ButtonLink to={`/projects/${slug}/sources/${prm.id}/calibration`}>Against people</ButtonLink>
              )
            }
          >
            <Facts facts={facts(prm)} />
          </Panel>
        </>
      )}
    </>
  );
}

function facts(prm: Prm): [string, React.ReactNode][] {
  return [
    ["Learned from", learnedFrom(prm)],
    ["Offered to", prm.site_wide ? "all projects" : "this project"],
    ...(prm.kind === "imported" ? [] : [["Family", prm.family.replaceAll("_", " ")] satisfies [string, string]]),
    ["A trace’s score is", AGGREGATIONS[prm.aggregation as keyof typeof AGGREGATIONS] ?? prm.aggregation],
    [
      "Gives",
      { probability: "probabilities", log_ratio: "log ratios, for ranking only", "": "not known yet" }[prm.scale],
    ],
    ["Numbers", numbersOf(prm)],
    ["Traces scored here", formatCount(prm.scored)],
    ...(prm.kind === "imported" ? [["Fingerprint", prm.fingerprint] satisfies [string, string]] : []),
    ...(prm.checksum ? [["SHA-256 of its weights", prm.checksum] satisfies [string, string]] : []),
  ];
}

/** A warning where another PRM of the list is the same model under another name. */
function Twins({ of: prm, among }: { of: Prm; among: readonly Prm[] }) {
  const names = twinsOf(prm, among);
  if (names.length === 0) return null;
  return (
    <Notice tone="warn" title={`The same model as ${names.join(", ")}`}>
      Both have the same fingerprint, so their scores are the same. Retire the one that you do not need.
    </Notice>
  );
}

function numbersOf(prm: Prm): string {
  if (prm.kind === "imported") return "made elsewhere, and imported";
  return prm.server ? "computed on a server" : prm.dtype;
}

/** Return whether you may change it: as an admin of the project, or of the site if it is for all projects. */
function useMayChange(slug: string, prm: Prm): boolean {
  const user = useUser();
  return prm.site_wide ? user.is_superuser : hasRole(roleIn(user, slug), "admin");
}

function Standing({ slug, prm }: { slug: string; prm: Prm }) {
  const change = useChangePrm(slug, prm.id);
  const mayChange = useMayChange(slug, prm);
  if (prm.status === "unchecked") {
    return (
      <Panel title="It is being checked">
        <ProgressLine label="Check" done={0} total={null} />
        <p aria-live="polite">
          A worker of the queue gpu checks that its weights are safetensors of the right shapes, loads them and scores a
          trace of two steps. Large models take a few minutes to load. You can leave this page.
        </p>
      </Panel>
    );
  }
  if (prm.status === "faulty") {
    return (
      <>
        <Notice
          tone="bad"
          title="A worker cannot use it"
          actions={
            mayChange && (
              <>
                <Button disabled={change.isPending} onClick={() => change.mutate("recheck")}>
                  Check again
                </Button>
                <StartLink to={`/projects/${slug}/prms/connect`}>Connect it another way</StartLink>
              </>
            )
          }
        >
          {prm.error}
        </Notice>
        <ErrorNotice error={change.error} />
      </>
    );
  }
  if (prm.status === "retired")
    return <Notice tone="info" title="It is retired and no longer offered to new rounds." />;
  if (prm.kind === "imported") {
    return (
      <Notice tone="good" title="Scores made elsewhere">
        Rounds choose by these scores as by a PRM’s. Workers cannot make more of them: traces without a score are left
        out until you import one.
      </Notice>
    );
  }
  if (prm.run !== null) {
    return (
      <Notice tone="good" title="Ready">
        It was trained here: see <Link to={`/projects/${slug}/prms/runs/${prm.run}`}>its training</Link>.
      </Notice>
    );
  }
  return (
    <Notice tone="good" title="Ready: a worker loaded it and scored a trace">
      Before you rely on it, check below that its scores match its card. Then evaluate it, or start a round with it.
    </Notice>
  );
}

function Actions({ slug, prm }: { slug: string; prm: Prm }) {
  const change = useChangePrm(slug, prm.id);
  const mayChange = useMayChange(slug, prm);
  const [asking, setAsking] = useState(false);
  return (
    <>
      {mayChange && prm.status !== "retired" && <Button onClick={() => setAsking(true)}>Retire</Button>}
      {prm.status === "ready" && (
        <>
          {prm.kind === "prm" && <ButtonLink to={`/projects/${slug}/evaluations?prm=${prm.id}`}>Evaluate</ButtonLink>}
          <StartLink kind="primary" to={`/projects/${slug}/rounds/new?kind=convincing&prm=${prm.id}`}>
            New round with it
          </StartLink>
        </>
      )}
      <ConfirmDialog
        opened={asking}
        title={`Retire ${prm.name}?`}
        confirm="Retire"
        lasting
        onConfirm={() => change.mutateAsync("retire")}
        onClose={() => setAsking(false)}
      >
        It is no longer offered to new rounds{prm.site_wide ? " in any project" : ""}. Its scores and existing rounds
        are kept. Its name cannot be used again.
      </ConfirmDialog>
    </>
  );
}
