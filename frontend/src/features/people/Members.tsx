import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { ProjectMember } from "@/api/projectTypes";
import { useUser } from "@/api/session";
import type { Role } from "@/api/types";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import type { TableColumn } from "@/ui/DataTable";
import { formatCount, formatDuration } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import { PagedTable } from "@/ui/PagedTable";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import classes from "./people.module.css";
import { useChangeRole, useDeactivateMember, useMembers, useReactivateMember } from "./queries";
import { ROLES } from "./roles";

export function Members({ slug }: { slug: string }) {
  const members = useMembers(slug, "person");
  const changeRole = useChangeRole(slug);
  const deactivate = useDeactivateMember(slug);
  const reactivate = useReactivateMember(slug);
  const [leaving, setLeaving] = useState<ProjectMember | null>(null);
  const columns: TableColumn<ProjectMember>[] = [
    { name: "Person", main: true, cell: (member) => <Person slug={slug} member={member} /> },
    {
      name: "Role",
      cell: (member) => (
        <RoleSelect
          member={member}
          onChange={(role) => changeRole.mutate({ id: member.id, role })}
          busy={changeRole.isPending}
        />
      ),
    },
    { name: "Labels", align: "right", cell: (member) => formatCount(member.labels_submitted) },
    { name: "Active", align: "right", cell: (member) => formatDuration(member.active_ms) },
    { name: "Last label", cell: (member) => <RelativeTime at={member.last_label_at} /> },
    {
      name: "Access",
      quiet: true,
      cell: (member) =>
        member.is_active ? (
          <Button kind="danger" onClick={() => setLeaving(member)}>
            Deactivate
          </Button>
        ) : (
          <Button disabled={reactivate.isPending} onClick={() => reactivate.mutate({ id: member.id })}>
            Reactivate
          </Button>
        ),
    },
  ];
  return (
    <>
      <ErrorNotice error={changeRole.error ?? reactivate.error} title="Nothing was changed" />
      <PagedTable
        caption="Members"
        list={members}
        aligned
        columns={columns}
        rowKey={(member) => member.id}
        one="person"
        many="people"
        empty={
          <EmptyState inline title="This project has no members yet">
            <p>Make an invitation below and send its link.</p>
          </EmptyState>
        }
      />
      <ConfirmDialog
        opened={leaving !== null}
        title={`Deactivate ${leaving?.user.display_name ?? ""}?`}
        confirm="Deactivate"
        danger
        onConfirm={async () => leaving && (await deactivate.mutateAsync({ id: leaving.id }))}
        onClose={() => setLeaving(null)}
      >
        This person loses access at once, and tasks that they hold go back to the queue. Their{" "}
        {formatCount(leaving?.labels_submitted ?? 0)} submitted labels stay. You can reactivate them any time.
      </ConfirmDialog>
    </>
  );
}

function Person({ slug, member }: { slug: string; member: ProjectMember }) {
  const { user } = member;
  return (
    <div className={classes.person}>
      <strong>
        <Link to={`/projects/${slug}/labelers/${user.id}`}>{user.display_name}</Link>
      </strong>
      <span>{[user.username, user.email].filter((part) => part && part !== user.display_name).join(" · ")}</span>
      {!member.is_active && <StatusMark tone="quiet">deactivated</StatusMark>}
    </div>
  );
}

interface RoleSelectProps {
  member: ProjectMember;
  busy: boolean;
  onChange: (role: Role) => void;
}

function RoleSelect({ member, busy, onChange }: RoleSelectProps) {
  const self = useUser().id === member.user.id;
  if (self || !member.is_active) {
    const role = ROLES.find(({ value }) => value === member.role)?.label;
    return <span title={self ? "Another admin can change your role" : undefined}>{role}</span>;
  }
  return (
    <NativeSelect
      size="sm"
      className={classes.role}
      aria-label={`Role of ${member.user.display_name}`}
      data={ROLES.map(({ value, label }) => ({ value, label }))}
      value={member.role}
      disabled={busy}
      onChange={(event) => onChange(event.currentTarget.value as Role)}
    />
  );
}
