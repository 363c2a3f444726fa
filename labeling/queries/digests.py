"""A project's week: labels, gold, and open rounds with the forecast of when they will be done, as on Home.

A week is Monday to Sunday in UTC. Only people who chose it get a digest (the kind `digest` of notices).
"""

from collections import defaultdict
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Count, Q

from labeling.models import Delivery, Membership, Notice, NoticeKind, Project, Round, Task, User, Webhook
from labeling.queries.forecasts import forecast
from labeling.queries.home import GOLD, share_by
from labeling.queries.notices import wanted_since, wants
from labeling.queries.overview import submitted
from labeling.queries.projects import ADMIN, RESEARCHER
from labeling.queries.rounds import round_counts
from labeling.statistics.intervals import Estimate

WEEK = timedelta(days=7)
DUE = timedelta(hours=7)  # on Monday, UTC: late enough to include labels of Sunday evening


class OpenRound(NamedTuple):
    """A round that people are labeling: the labels submitted, and those it still wants."""

    number: int
    name: str
    submitted: int
    wanted: int


class Digest(NamedTuple):
    """A week of a project. `gold` is the share of hidden gold answered as expected, over all weeks, as on Home."""

    since: date
    until: date  # the last day
    labels: int
    labelers: int
    labels_before: int  # in the week before it
    gold: Estimate
    rounds: list[OpenRound]
    forecast: dict[str, Any]  # of the labels that open rounds want


def last_week(now: datetime) -> date | None:
    """Return the Monday of the last complete week; None until its digest is due, at seven on the next Monday (UTC)."""
    today = now.astimezone(UTC).date()
    monday = today - timedelta(days=today.weekday())
    return None if now < _due(monday - WEEK) else monday - WEEK


def digest_event(project: Project, monday: date) -> str:
    """Return the event's name, the same for every recipient and from every worker."""
    return f"digest:{project.pk}:{monday.isoformat()}"


def projects_without_digest(monday: date) -> dict[Project, list[User]]:
    """Return projects whose digest some recipient still lacks, each with all people who want it, even if they have it.

    A webhook is a recipient too, so a list may be empty. There is no digest of a week before the project existed, nor
    of one that was already due when the recipient switched digests on.
    """
    wanting, hooks = _wanting(monday), _listening(monday)
    projects = {project.pk: project for project in [*wanting, *hooks]}
    events = [digest_event(project, monday) for project in projects.values()]
    told = set(Notice.objects.filter(event__in=events).values_list("event", "person"))
    sent = set(Delivery.objects.filter(event__in=events).values_list("event", "person", "webhook"))
    found = {}
    for project in projects.values():
        event = digest_event(project, monday)
        people = wanting.get(project, [])
        missing = any((event, one.pk) not in told for one in people if _wanted(one, "app", monday))
        missing |= any((event, one.pk, None) not in sent for one in people if _by_mail(one, monday))
        missing |= any((event, None, pk) not in sent for pk in hooks.get(project, []))
        if missing:
            found[project] = people
    return found


def digest_of(project: Project, monday: date) -> Digest | None:
    """Return the digest of the week from this Monday; None if nothing was labeled and no round is open."""
    week, before = _labels(project, monday), _labels(project, monday - WEEK)
    rounds = list(
        Round.objects.filter(project=project, status=Round.Status.LABELING, imported=False).order_by("number")
    )
    if not week["labels"] and not rounds:
        return None
    counts = round_counts(rounds)
    return Digest(
        since=monday,
        until=monday + WEEK - timedelta(days=1),
        **week,
        labels_before=before["labels"],
        gold=share_by(GOLD, project=project.pk),
        rounds=[
            OpenRound(one.number, one.name, of_it["submitted"], of_it["labels_wanted"] + of_it["open"])
            for one in rounds
            for of_it in [counts[one.pk]]
        ],
        forecast=forecast(project),
    )


def _labels(project: Project, monday: date) -> dict[str, int]:
    within = Q(submitted_at__gte=_start(monday), submitted_at__lt=_start(monday + WEEK))
    work = submitted(project).filter(task__kind__in=Task.IN_FIGURES)  # as rounds count: gold is reported separately
    by_people = work.filter(within, labeler__kind=User.Kind.PERSON)
    counts: dict[str, int] = by_people.aggregate(labels=Count("pk"), labelers=Count("labeler", distinct=True))
    return counts


def _start(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _due(monday: date) -> datetime:
    """Return when the digest of the week from this Monday is due."""
    return _start(monday + WEEK) + DUE


def _wanting(monday: date) -> dict[Project, list[User]]:
    members = Membership.objects.filter(
        role__in=(RESEARCHER, ADMIN),
        is_active=True,
        user__is_active=True,
        user__notice_choices__has_key=NoticeKind.DIGEST.value,
        project__status=Project.Status.ACTIVE,
        project__created_at__lt=_start(monday + WEEK),
    )
    found: dict[Project, list[User]] = defaultdict(list)
    for member in members.select_related("user", "project").order_by("project", "pk"):
        if _wanted(member.user, "app", monday) or _by_mail(member.user, monday):
            found[member.project].append(member.user)
    return found


def _wanted(person: User, channel: str, monday: date) -> bool:
    """Return whether this person wants that week's digest on this channel, and already did when it was due."""
    since = wanted_since(person, NoticeKind.DIGEST, channel)
    return wants(person, NoticeKind.DIGEST, channel) and (since is None or since <= _due(monday))


def _by_mail(person: User, monday: date) -> bool:
    return bool(settings.MAIL and person.email and _wanted(person, "mail", monday))


def _listening(monday: date) -> dict[Project, list[int]]:
    hooks = Webhook.objects.filter(
        is_active=True,
        kinds__contains=[NoticeKind.DIGEST.value],
        created_at__lte=_due(monday),
        project__status=Project.Status.ACTIVE,
        project__created_at__lt=_start(monday + WEEK),
    )
    found: dict[Project, list[int]] = defaultdict(list)
    for hook in hooks.select_related("project").order_by("project", "pk"):
        found[hook.project].append(hook.pk)
    return found
