import { PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError } from "@/api/client";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { loginRefusal } from "./loginRefusal";
import { useLogIn } from "./queries";
import classes from "./session.module.css";

/** User name and password and then, for people with a second factor, its code. */
export function Password() {
  const logIn = useLogIn();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [asked, setAsked] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    logIn.mutate(
      { username: username.trim(), password, code: asked ? code : "" },
      { onError: (error) => needsCode(error) && setAsked(true) },
    );
  };
  const refusal = logIn.error && !needsCode(logIn.error) && loginRefusal(logIn.error, Date.now());
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
      {asked && <CodeField value={code} onChange={setCode} />}
      <Button kind="primary" type="submit" disabled={logIn.isPending}>
        {logIn.isPending ? "Logging in…" : "Log in"}
      </Button>
    </form>
  );
}

interface CodeFieldProps {
  value: string;
  onChange: (code: string) => void;
}

/** The field for the code that the person's app shows now. */
export function CodeField({ value, onChange }: CodeFieldProps) {
  return (
    <TextInput
      label="Code"
      name="code"
      description="The code that your app shows now, or one of your recovery codes."
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      required
      withAsterisk={false}
      autoFocus
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function needsCode(error: unknown): boolean {
  return error instanceof ApiError && error.code === "second_factor_needed";
}
