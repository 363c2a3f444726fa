"""The audit trail: one row for every write by a person. The database keeps it append-only."""

from typing import Any

from labeling.models import AuditEvent, Membership, Project, User


def record(
    action: str,
    *,
    actor: User | None,
    project: Project | None = None,
    target: str = "",
    **detail: Any,
) -> None:
    """Note that `actor` did `action` (as "member.deactivate") to `target` (as "member 7").

    What people read in place of the action stands in labeling.queries.audit_words, which knows every one there is.
    Call it inside the transaction of the write, so that neither exists without the other. `detail`
    holds JSON values; never a password, a token, the text of a label, nor who somebody is but by an account's number:
    people are forgotten, and this is not. `actor` None: the machine.
    """
    AuditEvent.objects.create(action=action, actor=actor, project=project, target=target[:120], detail=detail)


def of_member(member: Membership) -> str:
    """The target; whoever reads it is shown the name (labeling.queries.audit_names)."""
    return f"member {member.pk}"
