import { Textarea } from "@mantine/core";
import { useState } from "react";
import { Link, useParams } from "react-router";
import * as limits from "@/api/limits";
import type { LabelerQuality, Share } from "@/api/qualityTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { IntervalBar } from "@/ui/charts/IntervalBar";
import { intervalWords } from "@/ui/charts/IntervalRows";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { countOf } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState, ErrorState } from "@/ui/states";
import classes from "./quality.module.css";
import { ACTION_WORDS, STATE_WORDS, screeningWords } from "./qualityWords";
import { useLabelerQuality, useMemberAction } from "./queries";

type Asking = { what: "pause" | "unpause" | "admit" | "allow_attempt"; row: LabelerQuality };

/** How every labeler agrees with gold, who is paused and why, and what an admin can do about it. */
export function LabelerQualityPage() {
  const { slug = "" } = useParams();
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  const standings = useLabelerQuality(slug);
  const [asking, setAsking] = useState<Asking | null>(null);
  const bar = standings.data?.bar ?? 0.75;
  const columns: TableColumn<LabelerQuality>[] = [
    { name: "Labeler", main: true, cell: (row) => <Labeler slug={slug} row={row} /> },
    {
      name: "Since the run began",
      width: "230px",
      cell: (row) => <Rate share={row.run} bar={bar} action={row.action} />,
    },
    { name: "Last 40", width: "110px", align: "right", cell: (row) => <Recent share={row.recent} /> },
    ...(standings.data?.labelers.some(({ decisive }) => decisive.n > 0)
      ? [
          {
            name: "Decisive error",
            width: "150px",
            cell: ({ decisive }: LabelerQuality) => <Decisive share={decisive} />,
          },
        ]
      : []),
    { name: "Screening", width: "150px", cell: (row) => <Attempts row={row} /> },
    ...(admin
      ? [
          {
            name: "Decide",
            quiet: true,
            cell: (row: LabelerQuality) => <Decisions row={row} onAsk={(what) => setAsking({ what, row })} />,
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHeading title="Labeler quality" />
      <p className={classes.lead}>
        Agreement with gold: the dot is the measured share, the band its likely range, and the line the{" "}
        {Math.round(bar * 100)} % that you ask for. The measured share alone never pauses anyone.
      </p>
      {standings.isError && !standings.data ? (
        <ErrorState inline error={standings.error} retry={() => void standings.refetch()} />
      ) : standings.data?.labelers.length === 0 ? (
        <EmptyState inline title="No labelers yet">
          <p>Invite annotators on the People page; each stands here from then on.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Labelers and their agreement with gold"
          aligned
          columns={columns}
          rows={standings.data?.labelers}
          rowKey={(row) => row.member_id}
        />
      )}
      {asking && (
        <Ask
          key={`${asking.what}-${asking.row.member_id}`}
          slug={slug}
          asking={asking}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}

function Labeler({ slug, row }: { slug: string; row: LabelerQuality }) {
  const { tone, name } = STATE_WORDS[row.state];
  return (
    <div className={classes.labeler}>
      <strong>
        <Link to={`/projects/${slug}/labelers/${row.labeler.id}`}>{row.labeler.display_name}</Link>
      </strong>
      <span>
        {row.is_active ? (
          <StatusMark tone={tone}>{name}</StatusMark>
        ) : (
          <StatusMark tone="quiet">deactivated</StatusMark>
        )}
        {row.role !== "annotator" && <small> {row.role}</small>}
      </span>
      {row.pause && (
        <small>
          {row.pause.by_rule
            ? `by the rule, at ${intervalWords({ part: row.pause.passed ?? 0, whole: row.pause.agreement?.n ?? 0, low: row.pause.agreement?.low ?? null, high: row.pause.agreement?.high ?? null })}`
            : row.pause.reason || "by an admin, without a reason"}
        </small>
      )}
    </div>
  );
}

function Rate({ share, bar, action }: { share: Share; bar: number; action: LabelerQuality["action"] }) {
  if (share.n === 0) return <span className={classes.quiet}>no gold yet in this run</span>;
  const { tone, says } = ACTION_WORDS[action];
  const passed = Math.round((share.value ?? 0) * share.n);
  return (
    <div className={classes.rate}>
      <IntervalBar value={share.value} low={share.low} high={share.high} bar={bar} tone={tone} />
      <small>{intervalWords({ part: passed, whole: share.n, low: share.low, high: share.high })}</small>
      {says && <small className={classes.says}>{says}</small>}
    </div>
  );
}

function Recent({ share }: { share: Share }) {
  if (share.value === null) return <span className={classes.quiet}>n/a</span>;
  return (
    <>
      {Math.round(share.value * 100)} % <small className={classes.quiet}>of {share.n}</small>
    </>
  );
}

/** Of the decisive errors that labelers named in agents' runs, how many gold accepts. */
function Decisive({ share }: { share: Share }) {
  if (share.n === 0) return <span className={classes.quiet}>none named</span>;
  const part = Math.round((share.value ?? 0) * share.n);
  return <small>{intervalWords({ part, whole: share.n, low: share.low, high: share.high })}</small>;
}

function Attempts({ row }: { row: LabelerQuality }) {
  return (
    <div className={classes.attempts}>
      {row.attempts.map((attempt) => (
        <span key={attempt.attempt}>{screeningWords(attempt)}</span>
      ))}
      {row.attempts.length === 0 && <span className={classes.quiet}>{row.admitted_at ? "not needed" : "none"}</span>}
    </div>
  );
}

function Decisions({ row, onAsk }: { row: LabelerQuality; onAsk: (what: Asking["what"]) => void }) {
  if (!row.is_active) return null;
  const screened = row.state === "screening" || row.state === "retry" || row.state === "rejected";
  return (
    <div className={classes.buttons}>
      {row.state === "paused" && (
        <Button kind="primary" onClick={() => onAsk("unpause")}>
          Let them go on
        </Button>
      )}
      {row.state === "working" && <Button onClick={() => onAsk("pause")}>Pause</Button>}
      {screened && <Button onClick={() => onAsk("admit")}>Admit</Button>}
      {row.state === "rejected" && <Button onClick={() => onAsk("allow_attempt")}>Allow another try</Button>}
    </div>
  );
}

const QUESTIONS: Record<Asking["what"], { title: (name: string) => string; verb: string; says: string }> = {
  pause: {
    title: (name) => `Pause ${name}?`,
    verb: "Pause",
    says: "They get no new tasks, and see your reason. They can finish and submit their open tasks. You can undo this.",
  },
  unpause: {
    title: (name) => `Let ${name} go on?`,
    verb: "Let them go on",
    says: "They get tasks again at once. Their results so far stay in the figures, but the rule starts counting again.",
  },
  admit: {
    title: (name) => `Admit ${name} without screening?`,
    verb: "Admit",
    says: "They get real work at once. The audit log records that you decided it.",
  },
  allow_attempt: {
    title: (name) => `Allow ${name} another try?`,
    verb: "Allow it",
    says: "They can do the screening once more, on the gold that they know least.",
  },
};

function Ask({ slug, asking, onClose }: { slug: string; asking: Asking; onClose: () => void }) {
  const { what, row } = asking;
  const act = useMemberAction(slug);
  const [reason, setReason] = useState("");
  const { title, verb, says } = QUESTIONS[what];
  return (
    <ConfirmDialog
      opened
      title={title(row.labeler.display_name)}
      confirm={verb}
      danger={what === "pause"}
      onConfirm={() => act.mutateAsync({ id: row.member_id, what, reason })}
      onClose={onClose}
    >
      <p className={classes.says}>{says}</p>
      {what === "pause" && (
        <Textarea
          label="What should they be told?"
          autosize
          minRows={2}
          {...limits.PauseIn.reason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
      {what === "unpause" && row.pause?.by_rule && (
        <p className={classes.says}>
          The rule paused them after {countOf(row.pause.agreement?.n ?? 0, "gold task")}. Talk about the tasks they
          failed first.
        </p>
      )}
    </ConfirmDialog>
  );
}
