import { TextInput } from "@mantine/core";
import { useState } from "react";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import type { ApiToken } from "@/api/projectTypes";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { CopyField } from "@/ui/CopyField";
import type { TableColumn } from "@/ui/DataTable";
import { Form, FormButtons } from "@/ui/Form";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PagedTable } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import { useCreateToken, useRevokeToken, useTokens } from "./queries";

export function ApiTokens() {
  const tokens = useTokens();
  const revoke = useRevokeToken();
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  const columns: TableColumn<ApiToken>[] = [
    { name: "Token", main: true, cell: (token) => token.name },
    { name: "Begins with", cell: (token) => <code>{token.prefix}…</code> },
    { name: "Made", cell: (token) => <RelativeTime at={token.created_at} /> },
    { name: "Last used", cell: (token) => <RelativeTime at={token.last_used_at} /> },
    {
      name: "State",
      cell: (token) =>
        token.revoked_at ? <StatusMark tone="quiet">revoked</StatusMark> : <StatusMark tone="good">active</StatusMark>,
    },
    {
      name: "Revoke",
      quiet: true,
      cell: (token) =>
        token.revoked_at ? null : (
          <Button kind="danger" onClick={() => setRevoking(token)}>
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <Panel title="API tokens" note="For programs that import, export or read on your behalf, with your own rights.">
      <NewToken />
      <PagedTable
        caption="API tokens"
        list={tokens}
        columns={columns}
        rowKey={(token) => token.id}
        one="token"
        empty={<EmptyState inline title="No tokens yet" />}
      />
      <ConfirmDialog
        opened={revoking !== null}
        title="Revoke this token?"
        confirm="Revoke the token"
        danger
        onConfirm={async () => revoking && (await revoke.mutateAsync(revoking.id))}
        onClose={() => setRevoking(null)}
      >
        Programs that use <b>{revoking?.name}</b> stop working at once. This cannot be undone.
      </ConfirmDialog>
    </Panel>
  );
}

function NewToken() {
  const create = useCreateToken();
  const [name, setName] = useState("");
  return (
    <div style={{ marginBottom: 24 }}>
      <Form label="Make a token" onSubmit={() => create.mutate(name.trim(), { onSuccess: () => setName("") })}>
        <ErrorNotice error={otherFault(create.error, ["name"])} />
        <TextInput
          label="What is it for?"
          name="name"
          placeholder="nightly export"
          required
          withAsterisk={false}
          maxLength={80}
          value={name}
          error={fieldFault(create.error, "name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FormButtons>
          <Button type="submit" disabled={create.isPending}>
            {create.isPending ? "Making…" : "Make a token"}
          </Button>
        </FormButtons>
      </Form>
      {create.data?.token && (
        <div style={{ marginTop: 16 }}>
          <Notice tone="good" title="Copy the token now: it is not shown again">
            <div style={{ marginTop: 8 }}>
              <CopyField label="The new API token" value={create.data.token} />
            </div>
          </Notice>
        </div>
      )}
    </div>
  );
}
