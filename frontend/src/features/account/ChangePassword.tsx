import { Checkbox, PasswordInput } from "@mantine/core";
import { useState } from "react";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { Button } from "@/ui/Button";
import { Form, FormButtons } from "@/ui/Form";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { useChangePassword, useSecondFactors, useTokens } from "./queries";

const EMPTY = { old_password: "", new_password: "" };

/** Nothing for people who log in only through a sign-in provider: they have no password here. */
export function ChangePassword() {
  const factors = useSecondFactors();
  return factors.isPending || factors.data?.password === false ? null : <PasswordPanel />;
}

function PasswordPanel() {
  const change = useChangePassword();
  const tokens = useTokens();
  const [passwords, setPasswords] = useState(EMPTY);
  const [revoke, setRevoke] = useState(false);
  const field = (name: keyof typeof EMPTY) => ({
    name,
    required: true,
    withAsterisk: false,
    value: passwords[name],
    error: fieldFault(change.error, name),
    visibilityToggleButtonProps: { "aria-label": "Show the password" },
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setPasswords((before) => ({ ...before, [name]: value }));
    },
  });
  const done = () => {
    setPasswords(EMPTY);
    setRevoke(false);
  };
  const submit = () => change.mutate({ ...passwords, revoke_tokens: revoke }, { onSuccess: done });
  return (
    <Panel title="Password">
      <Form onSubmit={submit} label="Change the password">
        {change.isSuccess && (
          <Notice tone="good">
            Your password is changed. Other browsers have been logged out
            {change.variables.revoke_tokens ? ", and your API tokens are revoked." : "."}
          </Notice>
        )}
        <ErrorNotice error={otherFault(change.error, Object.keys(EMPTY))} />
        <PasswordInput label="Present password" autoComplete="current-password" {...field("old_password")} />
        <PasswordInput
          label="New password"
          description="At least 10 characters; a sentence is fine."
          autoComplete="new-password"
          {...field("new_password")}
        />
        {(tokens.isError || !!tokens.rows?.length) && (
          <Checkbox
            name="revoke_tokens"
            label="Revoke all my API tokens, too"
            description="Do this if someone else may know the password. Programs that use the tokens stop working."
            checked={revoke}
            onChange={(event) => setRevoke(event.currentTarget.checked)}
          />
        )}
        <FormButtons>
          <Button type="submit" disabled={change.isPending}>
            {change.isPending ? "Changing…" : "Change the password"}
          </Button>
        </FormButtons>
      </Form>
    </Panel>
  );
}
