import { TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import * as limits from "@/api/limits";
import { canUsePasskeys } from "@/api/passkeys";
import type { SecondFactors as Factors, SecondFactor } from "@/api/types";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { CopyButton } from "@/ui/CopyField";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { Form, FormButtons } from "@/ui/Form";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./account.module.css";
import {
  useBeginCodeApp,
  useConfirmCodeApp,
  useMakePasskey,
  useRemoveFactor,
  useRenewRecoveryCodes,
  useSecondFactors,
} from "./queries";

const KINDS: Record<SecondFactor["kind"], string> = { totp: "code app", passkey: "passkey" };

/** What is proved besides the password: an app that shows codes, passkeys, and codes for when these are lost. */
export function SecondFactors() {
  const factors = useSecondFactors();
  const [codes, setCodes] = useState<string[]>([]);
  return (
    <Panel
      title="Second factor"
      note="A code from an app on your phone, in addition to your password. A passkey logs you in on its own, with a fingerprint, a face or the device's PIN."
    >
      <div className={classes.factors}>
        {codes.length > 0 && <NewCodes codes={codes} />}
        {factors.isPending && <SkeletonLines lines={2} />}
        {factors.isError && <ErrorState inline error={factors.error} retry={() => void factors.refetch()} />}
        {factors.data && <Shown factors={factors.data} onCodes={setCodes} />}
      </div>
    </Panel>
  );
}

interface ShownProps {
  factors: Factors;
  onCodes: (codes: string[]) => void;
}

function Shown({ factors, onCodes }: ShownProps) {
  const hasApp = factors.factors.some(({ kind }) => kind === "totp");
  if (!factors.password && !factors.passkeys) {
    return <p>You log in with a sign-in provider. Only the provider can ask you for a second factor.</p>;
  }
  return (
    <>
      {factors.factors.length === 0 ? (
        <p>None. Your password alone is enough to log in.</p>
      ) : (
        <Table factors={factors} />
      )}
      {factors.factors.length > 0 && <RecoveryCodes left={factors.recovery_codes_left} onCodes={onCodes} />}
      {!hasApp && factors.password && <CodeApp onCodes={onCodes} />}
      {factors.passkeys && <NewPasskey onCodes={onCodes} />}
    </>
  );
}

function Table({ factors }: { factors: Factors }) {
  const remove = useRemoveFactor();
  const [removing, setRemoving] = useState<SecondFactor | null>(null);
  const columns: TableColumn<SecondFactor>[] = [
    { name: "Factor", main: true, cell: ({ name }) => name },
    { name: "Kind", cell: ({ kind }) => KINDS[kind] },
    { name: "Made", cell: ({ created_at }) => <RelativeTime at={created_at} /> },
    { name: "Last used", cell: ({ last_used_at }) => <RelativeTime at={last_used_at} /> },
    {
      name: "Remove",
      quiet: true,
      cell: (factor) => (
        <Button kind="danger" onClick={() => setRemoving(factor)}>
          Remove
        </Button>
      ),
    },
  ];
  return (
    <>
      <DataTable caption="Second factors" columns={columns} rows={factors.factors} rowKey={({ id }) => id} />
      <ConfirmDialog
        opened={removing !== null}
        title="Remove this second factor?"
        confirm="Remove it"
        danger
        onConfirm={async () => removing && (await remove.mutateAsync(removing.id))}
        onClose={() => setRemoving(null)}
      >
        <b>{removing?.name}</b> can no longer be used to log in.
        {factors.factors.length === 1 && " It is the last one: without it, your password alone is enough."}
      </ConfirmDialog>
    </>
  );
}

function RecoveryCodes({ left, onCodes }: { left: number; onCodes: (codes: string[]) => void }) {
  const renew = useRenewRecoveryCodes(onCodes);
  return (
    <div>
      <ErrorNotice error={renew.error} />
      <p>
        Recovery codes left: {left}. Each works once, in case you lose your device.{" "}
        <Button disabled={renew.isPending} onClick={() => renew.mutate()}>
          Make new ones
        </Button>
      </p>
    </div>
  );
}

function NewCodes({ codes }: { codes: string[] }) {
  return (
    <Notice
      tone="good"
      title="Keep these recovery codes: they are not shown again"
      actions={<CopyButton text={codes.join("\n")}>Copy them</CopyButton>}
    >
      <ul className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function CodeApp({ onCodes }: { onCodes: (codes: string[]) => void }) {
  const begin = useBeginCodeApp();
  const confirm = useConfirmCodeApp(onCodes);
  const [code, setCode] = useState("");
  if (!begin.data) {
    return (
      <div>
        <ErrorNotice error={begin.error} />
        <Button disabled={begin.isPending} onClick={() => begin.mutate()}>
          Set up a code app
        </Button>
      </div>
    );
  }
  return (
    <Form label="Set up a code app" onSubmit={() => confirm.mutate(code)}>
      <p>Scan this with the app (Aegis, 1Password, Google Authenticator or any other), or type the secret into it.</p>
      <img className={classes.picture} src={begin.data.picture} alt="The secret as a QR code" />
      <p>
        <code className={classes.secret}>{begin.data.secret}</code>
      </p>
      <ErrorNotice error={confirm.error} />
      <TextInput
        label="What the app shows now"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        withAsterisk={false}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <FormButtons>
        <Button kind="primary" type="submit" disabled={confirm.isPending}>
          {confirm.isPending ? "Checking…" : "Ask for it from now on"}
        </Button>
      </FormButtons>
    </Form>
  );
}

function NewPasskey({ onCodes }: { onCodes: (codes: string[]) => void }) {
  const make = useMakePasskey(onCodes);
  const [name, setName] = useState("");
  if (!canUsePasskeys()) return <p>This browser is too old for passkeys.</p>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate(name.trim(), { onSuccess: () => setName("") });
  };
  return (
    <form className={classes.passkey} aria-label="Make a passkey" onSubmit={submit}>
      <ErrorNotice error={make.error} />
      <TextInput
        label="A name for the new passkey"
        name="passkey"
        placeholder="my laptop"
        required
        withAsterisk={false}
        {...limits.NewPasskeyIn.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" disabled={make.isPending}>
        {make.isPending ? "Asking the browser…" : "Make a passkey"}
      </Button>
    </form>
  );
}
