import { PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Navigate, useSearchParams } from "react-router";
import { useSession } from "@/api/session";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { usePageTitle } from "@/ui/PageShell";
import { loginRefusal, safeNext } from "./loginRefusal";
import { useLogIn } from "./queries";
import classes from "./session.module.css";

export function LoginPage() {
  usePageTitle("Log in");
  const session = useSession();
  const logIn = useLogIn();
  const [params] = useSearchParams();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const next = safeNext(params.get("next"));

  if (session.data?.user) return <Navigate to={next} replace />;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    logIn.mutate({ username: username.trim(), password });
  };
  const refusal = logIn.error && loginRefusal(logIn.error, Date.now());

  return (
    <form className={classes.form} onSubmit={submit}>
      <h1>Log in</h1>
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
      <p className={classes.hint}>No account yet? A project admin can send you an invitation link.</p>
    </form>
  );
}
