import { PasswordInput } from "@mantine/core";
import { useState } from "react";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { Button } from "@/ui/Button";
import { Form, FormButtons } from "@/ui/Form";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { useChangePassword } from "./queries";

const EMPTY = { old_password: "", new_password: "" };

export function ChangePassword() {
  const change = useChangePassword();
  const [passwords, setPasswords] = useState(EMPTY);
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
  const submit = () => change.mutate(passwords, { onSuccess: () => setPasswords(EMPTY) });
  return (
    <Panel title="Password">
      <Form onSubmit={submit} label="Change the password">
        {change.isSuccess && <Notice tone="good">The password is changed. Other browsers have been logged out.</Notice>}
        <ErrorNotice error={otherFault(change.error, Object.keys(EMPTY))} />
        <PasswordInput label="Present password" autoComplete="current-password" {...field("old_password")} />
        <PasswordInput
          label="New password"
          description="At least 10 characters; a sentence is fine."
          autoComplete="new-password"
          {...field("new_password")}
        />
        <FormButtons>
          <Button type="submit" disabled={change.isPending}>
            {change.isPending ? "Changing…" : "Change the password"}
          </Button>
        </FormButtons>
      </Form>
    </Panel>
  );
}
