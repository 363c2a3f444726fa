import { PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Navigate, useSearchParams } from "react-router";
import { useSession } from "@/api/session";
import { Button } from "@/ui/Button";
import { Disclosure } from "@/ui/Disclosure";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { usePageTitle } from "@/ui/PageShell";
import { loginRefusal, safeNext, signInRefusal } from "./loginRefusal";
import { useLogIn, useSignIn } from "./queries";
import classes from "./session.module.css";

/** One quiet page: the providers that the operator set up, if any, and the form for a password. */
export function LoginPage() {
  usePageTitle("Log in");
  const session = useSession();
  const [params] = useSearchParams();
  const next = safeNext(params.get("next"));
  const signIn = useSignIn(next);

  if (session.data?.user) return <Navigate to={next} replace />;

  const { providers = [], passwords_for_few = false } = session.data?.sign_in ?? {};
  const refused = signInRefusal(params.get("refused"));
  const only = passwords_for_few ? (
    <Disclosure title="Log in with a password">
      <Password />
    </Disclosure>
  ) : (
    <Password />
  );
  return (
    <div className={classes.form}>
      <h1>Log in</h1>
      {refused && !signIn.error && (
        <Notice tone="bad" title="You were not signed in">
          {refused}
        </Notice>
      )}
      <ErrorNotice error={signIn.error} />
      {providers.map(({ name, title }) => (
        <Button
          key={name}
          kind={passwords_for_few ? "primary" : "default"}
          disabled={signIn.isPending || signIn.isSuccess}
          onClick={() => signIn.mutate(name)}
        >
          Continue with {title}
        </Button>
      ))}
      {providers.length > 0 && !passwords_for_few && <p className={classes.or}>or with a password</p>}
      {only}
      {!passwords_for_few && (
        <p className={classes.hint}>No account yet? A project admin can send you an invitation link.</p>
      )}
    </div>
  );
}

function Password() {
  const logIn = useLogIn();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    logIn.mutate({ username: username.trim(), password });
  };
  const refusal = logIn.error && loginRefusal(logIn.error, Date.now());
  return (
    <form className={classes.fields} onSubmit={submit}>
      {refusal && (
        <Notice tone="bad" title={refusal.title}>
          {refusal.text}
        </Notice>
      )}
      <TextInput
        label="User name"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        autoFocus
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
      />
      <Button kind="primary" type="submit" disabled={logIn.isPending}>
        {logIn.isPending ? "Logging in…" : "Log in"}
      </Button>
    </form>
  );
}
