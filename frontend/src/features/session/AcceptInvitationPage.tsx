import { PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { ApiError } from "@/api/client";
import type { InvitationPreview } from "@/api/projectTypes";
import { useSession } from "@/api/session";
import type { NewAccount, SessionUser } from "@/api/types";
import { Button, ButtonLink } from "@/ui/Button";
import { formatDateTime } from "@/ui/format";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { usePageTitle } from "@/ui/PageShell";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { useAcceptInvitation, useInvitation } from "./queries";
import classes from "./session.module.css";

const CLOSED: Record<Exclude<InvitationPreview["state"], "open">, string> = {
  expired: "This invitation has expired.",
  used: "This invitation has already been used.",
  revoked: "This invitation was revoked.",
};

const ROLE_MEANS = {
  annotator: "You will label traces step by step.",
  researcher: "You will import traces, open rounds, follow progress and export labels.",
  admin: "You will run the project: people, settings, and everything a researcher does.",
};

export function AcceptInvitationPage() {
  const { token = "" } = useParams();
  usePageTitle("Invitation");
  const invitation = useInvitation(token);
  const session = useSession();

  if (invitation.isPending || session.isPending) return <SkeletonLines lines={4} />;
  if (invitation.isError) {
    const unknown = invitation.error instanceof ApiError && invitation.error.status === 404;
    return unknown ? (
      <Closed text="This invitation link is not valid. It may have been cut off when it was copied." />
    ) : (
      <ErrorState inline error={invitation.error} retry={() => void invitation.refetch()} />
    );
  }
  const { project, role, state, expires_at } = invitation.data;
  if (state !== "open") return <Closed text={CLOSED[state]} />;
  return (
    <div className={classes.form}>
      <p className="eyebrow">You are invited as {role}</p>
      <h1>{project.name}</h1>
      <p className={classes.hint}>
        {ROLE_MEANS[role]} The invitation is open until {formatDateTime(expires_at)}.
      </p>
      {session.data?.user ? <Join token={token} user={session.data.user} /> : <MakeAccount token={token} />}
    </div>
  );
}

function Closed({ text }: { text: string }) {
  return (
    <div className={classes.form}>
      <h1>{text}</h1>
      <p className={classes.hint}>Ask the person who sent it for a new link.</p>
      <ButtonLink to="/">Go to the start page</ButtonLink>
    </div>
  );
}

function Join({ token, user }: { token: string; user: SessionUser }) {
  const accept = useAcceptInvitation(token, user.id);
  const navigate = useNavigate();
  return (
    <>
      <Notice tone="info">
        You are logged in as <b>{user.display_name || user.username}</b>.
      </Notice>
      <ErrorNotice error={accept.error} />
      <Button
        kind="primary"
        disabled={accept.isPending}
        onClick={() => accept.mutate(null, { onSuccess: () => void navigate("/", { replace: true }) })}
      >
        {accept.isPending ? "Joining…" : "Join the project"}
      </Button>
    </>
  );
}

function MakeAccount({ token }: { token: string }) {
  const accept = useAcceptInvitation(token);
  const navigate = useNavigate();
  const [account, setAccount] = useState<Required<NewAccount>>({ username: "", password: "", display_name: "" });
  const faults = accept.error instanceof ApiError ? accept.error.fields : {};
  const field = (name: keyof NewAccount) => ({
    name,
    value: account[name],
    error: faults[name]?.join(" "),
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setAccount((before) => ({ ...before, [name]: value }));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate(
      { ...account, username: account.username.trim(), display_name: account.display_name.trim() },
      { onSuccess: () => void navigate("/", { replace: true }) },
    );
  };
  return (
    <form className={classes.fields} onSubmit={submit}>
      {Object.keys(faults).length === 0 && <ErrorNotice error={accept.error} />}
      <TextInput
        label="User name"
        description="Letters, digits and . _ - + @; you log in with it."
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        {...field("username")}
      />
      <TextInput
        label="Name"
        description="Other members of the project see this name."
        autoComplete="name"
        {...field("display_name")}
      />
      <PasswordInput
        label="Password"
        description="At least 10 characters; a sentence is fine."
        autoComplete="new-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
        {...field("password")}
      />
      <Button kind="primary" type="submit" disabled={accept.isPending}>
        {accept.isPending ? "Making the account…" : "Make the account and join"}
      </Button>
      <p className={classes.hint}>
        Have an account already?{" "}
        <Link to={`/login?next=${encodeURIComponent(`/invitations/${token}`)}`}>Log in first</Link>, then join.
      </p>
    </form>
  );
}
