import { TextInput } from "@mantine/core";
import { useState } from "react";
import { Link, useParams } from "react-router";
import * as limits from "@/api/limits";
import type { Lease } from "@/api/projectTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import type { TableColumn } from "@/ui/DataTable";
import { formatCountdown } from "@/ui/format";
import { PagedTable } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import { numberedRound } from "@/ui/trainingWords";
import { useNow } from "@/ui/useNow";
import { useLeases, useReleaseLabel } from "./queries";
import classes from "./tasks.module.css";

/** Who holds which task, since when and until when. */
export function LeasesPage() {
  const { slug = "" } = useParams();
  const isAdmin = hasRole(roleIn(useUser(), slug), "admin");
  const leases = useLeases(slug);
  const [releasing, setReleasing] = useState<Lease | null>(null);
  const columns: TableColumn<Lease>[] = [
    { name: "Labeler", main: true, cell: (lease) => lease.labeler.display_name },
    {
      name: "Task",
      cell: ({ task_id, round_number }) => (
        <>
          {task_id === null ? (
            "Your own, closed until you submit it"
          ) : (
            <Link to={`/projects/${slug}/tasks/${task_id}`} style={{ color: "var(--focus)" }}>
              Task {task_id}
            </Link>
          )}
          , {numberedRound(round_number)}
        </>
      ),
    },
    {
      name: "State",
      cell: ({ status }) =>
        status === "open" ? <StatusMark tone="busy">open</StatusMark> : <StatusMark tone="held">up next</StatusMark>,
    },
    { name: "Rated", align: "right", cell: ({ progress }) => `${progress.rated} of ${progress.steps}` },
    { name: "Claimed", cell: (lease) => <RelativeTime at={lease.claimed_at} /> },
    { name: "Last seen", cell: (lease) => <RelativeTime at={lease.last_seen_at} none="not yet" /> },
    { name: "Lease ends in", align: "right", cell: (lease) => <Countdown until={lease.leased_until} /> },
    ...(isAdmin
      ? [
          {
            name: "Release",
            quiet: true,
            cell: (lease: Lease) => (
              <Button kind="danger" onClick={() => setReleasing(lease)}>
                Release
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHeading title="Leases" />
      <PagedTable
        caption="Leases"
        list={leases}
        columns={columns}
        rowKey={(lease) => lease.label_id}
        one="lease"
        empty={
          <EmptyState inline title="Nobody holds a task now">
            <p>
              A labeler holds a task from the claim until they submit it. Its lease is renewed while they are active,
              and expires after they stop.
            </p>
          </EmptyState>
        }
      />
      <ReleaseDialog slug={slug} lease={releasing} onClose={() => setReleasing(null)} />
    </>
  );
}

function Countdown({ until }: { until: string }) {
  const now = useNow(1_000);
  const left = formatCountdown(until, now);
  return <span className={`${classes.countdown} ${left ? "" : classes.over}`}>{left ?? "run out"}</span>;
}

function ReleaseDialog({ slug, lease, onClose }: { slug: string; lease: Lease | null; onClose: () => void }) {
  const release = useReleaseLabel(slug);
  const [reason, setReason] = useState("");
  const close = () => {
    setReason("");
    onClose();
  };
  return (
    <ConfirmDialog
      opened={lease !== null}
      title={`Release ${lease?.labeler.display_name ?? ""}'s task?`}
      confirm="Release"
      danger
      onConfirm={async () => lease && (await release.mutateAsync({ id: lease.label_id, reason: reason.trim() }))}
      onClose={close}
    >
      <p style={{ margin: "0 0 14px" }}>
        The task goes back to the queue, and others can claim it. If {lease?.labeler.display_name} submits it anyway,
        their label is kept. It counts if the slot is still free.
      </p>
      <TextInput
        label="Reason (optional)"
        description="Kept in the audit log."
        {...limits.ReleaseIn.reason}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
