"""Current names for the ids in the audit log. The log is immutable and keeps no names, so it has none to forget."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Cast, Concat

from labeling.models import AuditEvent, Membership, Project, User

MEMBER = re.compile(r"member (\d+)(?: \(.*\))?")  # older entries have the user name of that time appended
LABELER = "labeler"  # in the detail: an account's id; in older entries, its user name


def named(events: Sequence[AuditEvent]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each entry's target and detail with the names of members and labelers. At most one query for each."""
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
    """Return the targets of entries about the project's members whose user names contain this part."""
    found = Membership.objects.filter(project=project, user__username__icontains=part)
    return found.annotate(target=Concat(Value("member "), Cast(F("pk"), CharField()))).values("target")


def _member(event: AuditEvent) -> int | None:
    found = MEMBER.fullmatch(event.target)
    return int(found[1]) if found else None


def _names(rows: QuerySet[Any], name: str) -> Iterator[tuple[int, str]]:
    return iter(rows.values_list("pk", name))
