import type { OwnInvitation } from "@/api/projectTypes";
import { Button } from "@/ui/Button";
import { formatDateTime } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import classes from "./projects.module.css";
import { useJoin, useOwnInvitations } from "./queries";

/** Projects that you are invited to and have not joined yet. */
export function OwnInvitations() {
  const invitations = useOwnInvitations();
  const join = useJoin();
  if (!invitations.rows?.length) return <ErrorNotice error={join.error} />;
  return (
    <section aria-label="Invitations to you">
      <ErrorNotice error={join.error} />
      <ul className={classes.list}>
        {invitations.rows.map((invitation) => (
          <Invited key={invitation.id} invitation={invitation} waiting={join.isPending} onJoin={join.mutate} />
        ))}
      </ul>
      {invitations.hasNextPage && (
        <Button disabled={invitations.isFetchingNextPage} onClick={() => void invitations.fetchNextPage()}>
          Load more
        </Button>
      )}
    </section>
  );
}

interface InvitedProps {
  invitation: OwnInvitation;
  waiting: boolean;
  onJoin: (id: number) => void;
}

function Invited({ invitation, waiting, onJoin }: InvitedProps) {
  return (
    <li className={`${classes.card} ${classes.invited}`}>
      <div className={classes.about}>
        <h2>{invitation.project.name}</h2>
        <p className={classes.role}>{invitation.role}</p>
        <p className={classes.description}>
          {invitation.created_by.display_name} invites you. The invitation expires on{" "}
          {formatDateTime(invitation.expires_at)}.
        </p>
      </div>
      <div className={classes.next}>
        <Button
          kind="primary"
          disabled={waiting}
          aria-label={`Join ${invitation.project.name}`}
          onClick={() => onJoin(invitation.id)}
        >
          Join
        </Button>
      </div>
    </li>
  );
}
