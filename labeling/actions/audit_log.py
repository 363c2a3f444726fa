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
    """Record that `actor` did `action` (such as "member.deactivate") to `target` (such as "member 7").

    labeling.queries.audit_words lists all actions, with the text that people read for each. Call this inside the
    transaction of the write, so that neither exists without the other. `detail` holds JSON values: never a password, a
    token, the text of a label, or anything that identifies a person except an account's number, because people are
    forgotten and this log is not. `actor` None: the machine.
    """
    AuditEvent.objects.create(action=action, actor=actor, project=project, target=target[:120], detail=detail)


def of_member(member: Membership) -> str:
    """Return the target for a member. Readers are shown the name (labeling.queries.audit_names)."""
    return f"member {member.pk}"
