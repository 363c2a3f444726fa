import { PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useLocation } from "react-router";
import { canUsePasskeys } from "@/api/passkeys";
import { personCheck } from "@/api/personCheck";
import { useSession } from "@/api/session";
import type { SecondFactors } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorNotice } from "@/ui/Notice";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { CodeField } from "./Password";
import { useProveByPasskey, useProveByPassword, useSignIn, useWaysToProve } from "./queries";
import classes from "./session.module.css";

/** Asks users to prove who they are. Then what they requested continues, or is dropped. */
export function CheckAgain() {
  const ways = useWaysToProve();
  return (
    <Dialog title="Is it still you?" onClose={() => personCheck.answer(false)}>
      <div className={classes.fields}>
        <p className={classes.hint}>
          This action is sensitive, and you logged in a while ago. After you confirm, it continues.
        </p>
        {ways.isPending && <SkeletonLines lines={2} />}
        {ways.isError && <ErrorState inline error={ways.error} retry={() => void ways.refetch()} />}
        {ways.data && <Ways ways={ways.data} />}
      </div>
    </Dialog>
  );
}

function Ways({ ways }: { ways: SecondFactors }) {
  const hasPasskey = ways.factors.some(({ kind }) => kind === "passkey") && canUsePasskeys();
  return (
    <>
      {ways.password && <ByPassword needsCode={ways.factors.length > 0} />}
      {hasPasskey && <ByPasskey />}
      {!ways.password && <ByProvider />}
    </>
  );
}

function ByPassword({ needsCode }: { needsCode: boolean }) {
  const prove = useProveByPassword();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove.mutate({ password, code }, { onSuccess: () => personCheck.answer(true) });
  };
  return (
    <form className={classes.fields} onSubmit={submit}>
      <ErrorNotice error={prove.error} />
      <PasswordInput
        label="Your password"
        name="password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-first
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
      />
      {needsCode && <CodeField value={code} onChange={setCode} />}
      <Button kind="primary" type="submit" disabled={prove.isPending}>
        {prove.isPending ? "Checking…" : "It is me"}
      </Button>
    </form>
  );
}

function ByPasskey() {
  const prove = useProveByPasskey();
  return (
    <>
      <ErrorNotice error={prove.error} />
      <Button
        disabled={prove.isPending}
        onClick={() => prove.mutate(undefined, { onSuccess: () => personCheck.answer(true) })}
      >
        Use a passkey
      </Button>
    </>
  );
}

/** Proof by the provider: the browser leaves the page, and the user then repeats the action. */
function ByProvider() {
  const { pathname, search } = useLocation();
  const session = useSession();
  const signIn = useSignIn(`${pathname}${search}`, true);
  return (
    <>
      <ErrorNotice error={signIn.error} />
      {session.data?.sign_in.providers.map(({ name, title }) => (
        <Button key={name} kind="primary" disabled={signIn.isPending} onClick={() => signIn.mutate(name)}>
          Prove it with {title}
        </Button>
      ))}
      <p className={classes.hint}>You are brought back to this page. Then repeat the action.</p>
    </>
  );
}
