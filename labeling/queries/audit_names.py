"""Names for the audit log's numbers, as they are today: the log itself, which nobody can change, has none to forget."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Cast, Concat

from labeling.models import AuditEvent, Membership, Project, User

MEMBER = re.compile(r"member (\d+)(?: \(.*\))?")  # entries of before have the name of their day behind it
LABELER = "labeler"  # in the detail: an account's number; of before its user name


def named(events: Sequence[AuditEvent]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of each entry target and detail, with names of members and labelers. At most a query for each of the two."""
    members = {number for event in events if (number := _member(event)) is not None}
    labelers = {event.detail[LABELER] for event in events if isinstance(event.detail.get(LABELER), int)}
    of_members = dict(_names(Membership.objects.filter(pk__in=members), "user__username")) if members else {}
    of_labelers = dict(_names(User.objects.filter(pk__in=labelers), "username")) if labelers else {}
    for event in events:
        number, labeler = _member(event), event.detail.get(LABELER)
        target = f"member {number} ({of_members[number]})" if number in of_members else event.target
        name = of_labelers.get(labeler) if isinstance(labeler, int) else None
        yield target, event.detail if name is None else {**event.detail, LABELER: name}


def targets_named(project: Project, part: str) -> QuerySet[Any]:
    """What entries about the members of a project are to, where their user name has this part."""
    found = Membership.objects.filter(project=project, user__username__icontains=part)
    return found.annotate(target=Concat(Value("member "), Cast(F("pk"), CharField()))).values("target")


def _member(event: AuditEvent) -> int | None:
    found = MEMBER.fullmatch(event.target)
    return int(found[1]) if found else None


def _names(rows: QuerySet[Any], name: str) -> Iterator[tuple[int, str]]:
    return iter(rows.values_list("pk", name))
