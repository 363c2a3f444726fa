"""Tells the person who sent an invitation that its mail could not be delivered: nobody else waits for it."""

from labeling.actions.notices import notify
from labeling.models import Invitation, NoticeKind
from labeling.queries.people import invitation_state, invitations

UNDELIVERED_TITLE = "An invitation could not be delivered"


def tell_undelivered(invitation: Invitation) -> None:
    """Notify the person who made it, while it is open. The notice contains neither the address nor the server's answer:
    both are stored with the invitation, and deleted when the person is erased.
    """
    found = invitations().select_related("project").get(pk=invitation.pk)
    if invitation_state(found) != "open":
        return
    notify(
        found.project,
        NoticeKind.INVITED,
        event=f"undelivered:{found.pk}",
        title=UNDELIVERED_TITLE,
        text=f"Your invitation as {found.role} of {found.created_at:%d %B %Y} could not be mailed. The mail server's "
        "answer is shown next to the invitation under People. You can make a new link there to hand over yourself.",
        path=f"/projects/{found.project.slug}/people",
        people=[found.created_by],
    )
