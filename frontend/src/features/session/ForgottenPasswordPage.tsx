import { TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import { Button } from "@/ui/Button";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { usePageTitle } from "@/ui/PageShell";
import { useForgetPassword } from "./queries";
import classes from "./session.module.css";

/** Ask for a link by mail. The answer is the same for every name. */
export function ForgottenPasswordPage() {
  usePageTitle("Forgotten password");
  const forget = useForgetPassword();
  const [name, setName] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    forget.mutate(name.trim());
  };
  return (
    <div className={classes.form}>
      <h1>Forgotten password</h1>
      {forget.isSuccess ? (
        <Notice tone="good" title="Check your email">
          If there is an account called <b>{forget.variables}</b> with an email address and a password, we have sent it
          a link. The link works once, for one hour.
        </Notice>
      ) : (
        <form className={classes.fields} onSubmit={submit}>
          <ErrorNotice error={forget.error} />
          <TextInput
            label="User name or email address"
            name="name"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            withAsterisk={false}
            autoFocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button kind="primary" type="submit" disabled={forget.isPending}>
            {forget.isPending ? "Asking…" : "Send me a link"}
          </Button>
        </form>
      )}
      <p className={classes.hint}>
        <Link to="/login">Back to the login page</Link>
      </p>
    </div>
  );
}
