import { PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link, useParams } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useSession } from "@/api/session";
import { Button, ButtonLink } from "@/ui/Button";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { usePageTitle } from "@/ui/PageShell";
import { useSetForgottenPassword } from "./queries";
import classes from "./session.module.css";

/** The page that the link in the mail leads to. */
export function NewPasswordPage() {
  usePageTitle("New password");
  const { person = "", token = "" } = useParams();
  const session = useSession();
  const set = useSetForgottenPassword();
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate({ person: Number(person), token, new_password: password });
  };
  if (set.isSuccess) {
    return (
      <div className={classes.form}>
        <h1>New password</h1>
        <Notice tone="good">
          Your password is set. You have been logged out everywhere, and your API tokens no longer work.
          {session.data?.sign_in.passkeys && " Your passkeys still work: review them under Account."}
        </Notice>
        <ButtonLink kind="primary" to="/login">
          Log in
        </ButtonLink>
      </div>
    );
  }
  return (
    <div className={classes.form}>
      <h1>New password</h1>
      <form className={classes.fields} onSubmit={submit}>
        <ErrorNotice error={otherFault(set.error, ["new_password"])} />
        <PasswordInput
          label="New password"
          description="At least 10 characters; a sentence is fine."
          name="new_password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          autoFocus
          value={password}
          error={fieldFault(set.error, "new_password")}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
        />
        <Button kind="primary" type="submit" disabled={set.isPending}>
          {set.isPending ? "Setting…" : "Set the password"}
        </Button>
      </form>
      <p className={classes.hint}>
        Does the link not work? <Link to="/forgotten-password">Ask for a new one</Link>.
      </p>
    </div>
  );
}
