import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import * as limits from "@/api/limits";
import type { ApiToken } from "@/api/projectTypes";
import { Button, ButtonLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { CopyField } from "@/ui/CopyField";
import type { TableColumn } from "@/ui/DataTable";
import { Disclosure } from "@/ui/Disclosure";
import { type Choice, Choices, Form, FormButtons } from "@/ui/Form";
import { formatDateTime } from "@/ui/format";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PagedTable } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import { useCreateToken, useRevokeToken, useTokens } from "./queries";

/**
 * Folds the tokens away for people who only label: their tokens work too, but few of them use programs. People who have
 * a token see the list at once.
 */
export function FoldedApiTokens() {
  const tokens = useTokens();
  return tokens.isPending ? null : <Folded folded={tokens.rows?.length === 0} />;
}

/** Keeps its initial state: creating the first token must not remove the place where its secret is shown once. */
function Folded({ folded }: { folded: boolean }) {
  const [atFirst] = useState(folded);
  return atFirst ? (
    <Disclosure title="API tokens, for programs">
      <ApiTokens />
    </Disclosure>
  ) : (
    <ApiTokens />
  );
}

export function ApiTokens() {
  const tokens = useTokens();
  const revoke = useRevokeToken();
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  const columns: TableColumn<ApiToken>[] = [
    { name: "Token", main: true, cell: (token) => token.name },
    { name: "Begins with", cell: (token) => <code>{token.prefix}…</code> },
    { name: "Made", cell: (token) => <RelativeTime at={token.created_at} /> },
    { name: "May", cell: (token) => (token.read_only ? "read" : "read and write") },
    { name: "Ends", cell: (token) => (token.expires_at ? formatDateTime(token.expires_at) : "never") },
    { name: "Last used", cell: (token) => <RelativeTime at={token.last_used_at} /> },
    { name: "State", cell: (token) => <TokenState token={token} /> },
    {
      name: "Revoke",
      quiet: true,
      cell: (token) =>
        isOver(token) ? null : (
          <Button kind="danger" onClick={() => setRevoking(token)}>
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <Panel
      title="API tokens"
      note="For programs that import, export or read on your behalf. Make a token for each program, so that you see when it was last used and can revoke it alone."
      actions={<ButtonLink to="/api-reference">API reference</ButtonLink>}
    >
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

function isOver(token: ApiToken): boolean {
  return token.revoked_at !== null || (token.expires_at !== null && new Date(token.expires_at) <= new Date());
}

function TokenState({ token }: { token: ApiToken }) {
  if (token.revoked_at) return <StatusMark tone="quiet">revoked</StatusMark>;
  if (isOver(token)) return <StatusMark tone="quiet">expired</StatusMark>;
  return <StatusMark tone="good">active</StatusMark>;
}

const RIGHTS: Choice<"all" | "read">[] = [
  { value: "read", name: "Read", means: "Everything that you may see. It cannot change or start anything." },
  { value: "all", name: "Read and write", means: "Everything that you may do, except making tokens." },
];
const ENDS = [
  { value: "30", label: "in 30 days" },
  { value: "90", label: "in 90 days" },
  { value: "365", label: "in a year" },
  { value: "", label: "never" },
];
const EMPTY = { name: "", days: "90", rights: "read" as "all" | "read" };

function NewToken() {
  const create = useCreateToken();
  const [asked, setAsked] = useState(EMPTY);
  const submit = () =>
    create.mutate(
      { name: asked.name.trim(), days: asked.days ? Number(asked.days) : null, read_only: asked.rights === "read" },
      { onSuccess: () => setAsked(EMPTY) },
    );
  return (
    <div style={{ marginBottom: 24 }}>
      <Form label="Make a token" onSubmit={submit}>
        <ErrorNotice error={otherFault(create.error, ["name"])} />
        <TextInput
          label="What is it for?"
          name="name"
          placeholder="nightly export"
          required
          withAsterisk={false}
          {...limits.TokenIn.name}
          value={asked.name}
          error={fieldFault(create.error, "name")}
          onChange={(event) => setAsked({ ...asked, name: event.currentTarget.value })}
        />
        <Choices
          legend="It may"
          name="rights"
          row
          value={asked.rights}
          onChange={(rights) => setAsked({ ...asked, rights })}
          choices={RIGHTS}
        />
        <NativeSelect
          label="It ends"
          value={asked.days}
          data={ENDS}
          onChange={(event) => setAsked({ ...asked, days: event.currentTarget.value })}
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
