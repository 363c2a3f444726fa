import { Checkbox, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import type { Invitation, NewInvitation } from "@/api/projectTypes";
import { useSession } from "@/api/session";
import type { Role } from "@/api/types";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { CopyField } from "@/ui/CopyField";
import type { TableColumn } from "@/ui/DataTable";
import { Form, FormButtons, FormRow } from "@/ui/Form";
import { formatDateTime } from "@/ui/format";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PagedTable } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark, type StatusTone } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import classes from "./people.module.css";
import { useCreateInvitation, useInvitations, useRevokeInvitation } from "./queries";
import { ROLES } from "./roles";

const TONES: Record<Invitation["state"], StatusTone> = {
  open: "busy",
  used: "good",
  expired: "quiet",
  revoked: "quiet",
};

function forWhom({ username, email }: Invitation): string {
  return [username, email].filter(Boolean).join(", ") || "anyone with the link";
}

/** "The mail could not be delivered: 550 no such user" */
export function undeliveredWords({ undelivered }: Pick<Invitation, "undelivered">): string {
  return undelivered && `The mail could not be delivered: ${undelivered}`;
}

export function Invitations({ slug }: { slug: string }) {
  const invitations = useInvitations(slug);
  const revoke = useRevokeInvitation(slug);
  const create = useCreateInvitation(slug);
  /** The link itself is not stored, so copying one creates a new link, and the old one stops working. */
  const copyAnew = ({ id, role, email, username }: Invitation) =>
    create.mutate(
      { ...NEW, role, email },
      { onSuccess: () => (username ? undefined : revoke.mutateAsync(id).then(() => undefined)) },
    );
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const columns: TableColumn<Invitation>[] = [
    { name: "For", main: true, cell: forWhom },
    { name: "Role", cell: (invitation) => invitation.role },
    {
      name: "State",
      cell: (invitation) => (
        <>
          <StatusMark tone={TONES[invitation.state]}>{invitation.state}</StatusMark>
          {invitation.undelivered && (
            <p className={classes.undelivered}>
              {undeliveredWords(invitation)}{" "}
              <Button disabled={create.isPending} onClick={() => copyAnew(invitation)}>
                Copy the link
              </Button>
            </p>
          )}
        </>
      ),
    },
    {
      name: "Accepted by",
      cell: (invitation) => invitation.accepted_by?.display_name ?? "–",
    },
    {
      name: "Made",
      cell: ({ created_at, created_by }) => (
        <>
          <RelativeTime at={created_at} /> by {created_by.display_name}
        </>
      ),
    },
    { name: "Expires", cell: (invitation) => <RelativeTime at={invitation.expires_at} /> },
    {
      name: "Revoke",
      quiet: true,
      cell: (invitation) =>
        invitation.state === "open" && (
          <Button kind="danger" onClick={() => setRevoking(invitation)}>
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <Panel
      bare
      title="Invitations"
      note="Each lets one person join once, until it expires: whoever has the link, or the user you name."
    >
      <NewInvitationForm slug={slug} create={create} />
      <PagedTable
        caption="Invitations, newest first"
        list={invitations}
        columns={columns}
        rowKey={(invitation) => invitation.id}
        one="invitation"
        empty={<EmptyState inline title="No invitations yet" />}
      />
      <ConfirmDialog
        opened={revoking !== null}
        title="Revoke this invitation?"
        confirm="Revoke"
        danger
        onConfirm={async () => revoking && (await revoke.mutateAsync(revoking.id))}
        onClose={() => setRevoking(null)}
      >
        Its link stops working at once. You can always make a new one.
      </ConfirmDialog>
    </Panel>
  );
}

const NEW: Required<NewInvitation> = { role: "annotator", username: "", email: "", days: 7, mail: false };

interface NewInvitationFormProps {
  slug: string;
  create: ReturnType<typeof useCreateInvitation>;
}

function NewInvitationForm({ slug, create }: NewInvitationFormProps) {
  const mails = useSession().data?.sign_in.mail ?? false;
  const kept = useKeptForm(`invitation:${slug}`, () => NEW);
  const invitation = kept.form;
  const set = (changes: Partial<Required<NewInvitation>>) => kept.set(changes);
  const submit = () =>
    kept.sent(
      create.mutateAsync({
        ...invitation,
        username: invitation.username.trim(),
        email: invitation.email.trim(),
        mail: mails && invitation.mail,
      }),
      () => kept.forget({ username: "", email: "", mail: false }),
    );
  const made = create.data;
  return (
    <div className={classes.new}>
      <Form label="New invitation" onSubmit={submit} left={kept}>
        <ErrorNotice error={otherFault(create.error, ["role", "username", "email", "days"])} />
        <FormRow>
          <NativeSelect
            label="Role"
            name="role"
            data={ROLES.map(({ value, label }) => ({ value, label }))}
            value={invitation.role}
            description={ROLES.find((role) => role.value === invitation.role)?.means}
            onChange={(event) => set({ role: event.currentTarget.value as Role })}
          />
          <NumberInput
            label="Open for, days"
            name="days"
            {...limits.InvitationIn.days}
            allowDecimal={false}
            value={invitation.days}
            error={fieldFault(create.error, "days")}
            onChange={(days) => set({ days: Number(days) })}
          />
        </FormRow>
        <FormRow>
          <TextInput
            label="User name (optional)"
            name="username"
            description="A user with this name finds the invitation in their notices. You do not learn whether the name exists."
            autoCapitalize="none"
            spellCheck={false}
            {...limits.InvitationIn.username}
            value={invitation.username}
            error={fieldFault(create.error, "username")}
            onChange={(event) => set({ username: event.currentTarget.value })}
          />
          <TextInput
            label="Email (optional)"
            name="email"
            type="email"
            description={
              mails ? "So that you know whose it is." : "Only so that you know whose it is: this site sends no mail."
            }
            value={invitation.email}
            error={fieldFault(create.error, "email")}
            onChange={(event) => set({ email: event.currentTarget.value })}
          />
        </FormRow>
        {mails && (
          <Checkbox
            name="mail"
            label="Send the link to this address"
            disabled={!invitation.email.trim()}
            checked={invitation.mail}
            onChange={(event) => set({ mail: event.currentTarget.checked })}
          />
        )}
        <FormButtons>
          <Button kind="primary" type="submit" disabled={create.isPending}>
            {create.isPending ? "Making the link…" : "Make an invitation link"}
          </Button>
        </FormButtons>
      </Form>
      {made?.url_path && (
        <div style={{ marginTop: 16 }}>
          <Notice
            tone="good"
            title={made.username ? "The invitation is made" : "Copy the link now: it is not shown again"}
          >
            <p style={{ margin: "2px 0 10px" }}>
              One person can join as {made.role} until {formatDateTime(made.expires_at)}.
              {made.username &&
                ` If ${made.username} is a user here, they find the invitation in their notices. For anyone else, copy the link now: it is not shown again.`}
              {create.variables.mail && ` It is also being sent to ${made.email}.`}
            </p>
            <CopyField label="Invitation link" value={new URL(made.url_path, window.location.origin).href} />
          </Notice>
        </div>
      )}
    </div>
  );
}
