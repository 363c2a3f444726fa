"""Reads about notices: who is notified, what is waiting to be sent, and the notices themselves."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet

from labeling.configs.stages import statuses_on
from labeling.errors import NotFound
from labeling.models import (
    Delivery,
    Label,
    Membership,
    Notice,
    NoticeKind,
    Project,
    Round,
    Task,
    User,
    Webhook,
    WorkerHeartbeat,
)
from labeling.models.jobs import Job
from labeling.queries.held_labels import HELD
from labeling.queries.job_kinds import kinds_on
from labeling.queries.projects import ADMIN, get_project_by_id_as

SILENCE = timedelta(minutes=3)
SINCE = "{channel}_since"  # stored with a choice: when it was switched on
# The channels for a person who has chosen nothing. Mail is for what cannot wait until they open the app.
DEFAULTS = {
    NoticeKind.PAUSED: {"app": True, "mail": True},
    NoticeKind.QUEUE_STALLED: {"app": True, "mail": True},
    NoticeKind.GOLD_SHORT: {"app": True, "mail": False},
    NoticeKind.ROUND_FINISHED: {"app": True, "mail": True},
    NoticeKind.EXPORT_READY: {"app": True, "mail": False},
    NoticeKind.NO_WORKER: {"app": True, "mail": True},
    NoticeKind.HASTY_LABELS: {"app": True, "mail": False},
    NoticeKind.SCREENING: {"app": True, "mail": True},
    NoticeKind.INVITED: {"app": True, "mail": True},
    NoticeKind.DIGEST: {"app": False, "mail": False},
}


class WatchedRound(NamedTuple):
    """An open round: whether it still wants labels, and whether a labeler holds any."""

    round: Round
    wanting: bool
    held: bool


def choices_of(person: User) -> dict[str, dict[str, bool]]:
    """Return, for each kind, whether it reaches the person in the app and by mail."""
    return {
        kind.value: {
            channel: person.notice_choices.get(kind.value, {}).get(channel, on) for channel, on in usual.items()
        }
        for kind, usual in DEFAULTS.items()
    }


def wants(person: User, kind: str, channel: str) -> bool:
    """Return whether notices of this kind reach the person on this channel."""
    return choices_of(person)[kind][channel]


def wanted_since(person: User, kind: str, channel: str) -> datetime | None:
    """Return when they switched it on; None if that is unknown or it is on by default."""
    said = person.notice_choices.get(kind, {}).get(SINCE.format(channel=channel))
    return datetime.fromisoformat(said) if said else None


def own_notices(person: User) -> QuerySet[Notice]:
    """The person's notices."""
    return Notice.objects.filter(person=person).select_related("project")


def count_unread(person: User) -> int:
    """Return how many notices the person has not read."""
    return Notice.objects.filter(person=person, read_at=None).count()


def get_own_notice(person: User, notice_id: int) -> Notice:
    """Return one of the person's own notices. Raises NotFound."""
    notice = own_notices(person).filter(pk=notice_id).first()
    if notice is None:
        raise NotFound
    return notice


def get_webhook(admin: User, webhook_id: int) -> Webhook:
    """Return a webhook of a project this person is an admin of. Raises NotFound."""
    webhook = Webhook.objects.select_related("project", "created_by").filter(pk=webhook_id).first()
    if webhook is None:
        raise NotFound
    get_project_by_id_as(admin, webhook.project_id, ADMIN)
    return webhook


def project_webhooks(project: Project) -> QuerySet[Webhook]:
    """The project's webhooks."""
    return Webhook.objects.filter(project=project).select_related("created_by").order_by("pk")


def project_deliveries(project: Project) -> QuerySet[Delivery]:
    """The project's deliveries to its webhooks. Mail is left out: it is between the site and the recipient."""
    return Delivery.objects.filter(project=project, webhook__isnull=False).select_related("webhook")


def get_delivery(admin: User, delivery_id: int) -> Delivery:
    """Return a delivery to a webhook of a project this person is an admin of. Raises NotFound."""
    delivery = Delivery.objects.select_related("webhook").filter(pk=delivery_id, webhook__isnull=False).first()
    if delivery is None or delivery.project_id is None:
        raise NotFound
    get_project_by_id_as(admin, delivery.project_id, ADMIN)
    return delivery


def members(project: Project, roles: Iterable[str]) -> list[User]:
    """Return the project's active members with these roles."""
    of_role = Membership.objects.filter(project=project, role__in=roles, is_active=True, user__is_active=True)
    return [membership.user for membership in of_role.select_related("user")]


def superusers() -> list[User]:
    """Return the active superusers, who are responsible for the site."""
    return list(User.objects.filter(is_superuser=True, is_active=True))


def watched_rounds(project: Project | None = None) -> list[WatchedRound]:
    """Return the open rounds that have tasks, in all active projects or in this one. Two queries."""
    of_project = {} if project is None else {"project": project}
    wanting = Task.objects.filter(round=OuterRef("pk"), labels_wanted__gt=0)
    found = (
        Round.objects.filter(status=Round.Status.LABELING, project__status=Project.Status.ACTIVE, task_count__gt=0)
        .filter(**of_project)
        .select_related("project")
        .annotate(wanting=Exists(wanting))
        .order_by("number")
    )
    held = set(Label.objects.filter(status__in=HELD, **of_project).values_list("task__round", flat=True))
    return [WatchedRound(round_, round_.wanting, round_.pk in held) for round_ in found]


def quiet_since(round_: Round, cutoff: datetime) -> datetime | None:
    """Return since when nobody has claimed from the round, if that was before `cutoff`; else None.

    A round with a submission since `cutoff` needs no closer look: finding its last claim would read all its labels.
    """
    of_project = Label.objects.filter(project=round_.project, submitted_at__gte=cutoff)
    if of_project.filter(task__round=round_).exists():
        return None
    latest = Label.objects.filter(task__round=round_).aggregate(at=Max("claimed_at"))["at"]
    since: datetime = latest or round_.opened_at or round_.created_at
    return since if since < cutoff else None


def unserved_queues(now: datetime) -> dict[str, datetime | None]:
    """Return the queues that have work waiting but no worker, each with the last sign of life (None: never one).

    The queue cpu counts even without waiting work once it has had a worker.
    """
    unserved: dict[str, datetime | None] = {}
    for queue in ("cpu", "gpu"):
        seen = [beat.seen_at for beat in WorkerHeartbeat.objects.all() if queue in beat.queues.split(",")]
        last = max(seen, default=None)
        if (last is None or now - last > SILENCE) and (projects_waiting_for(queue) or (queue == "cpu" and last)):
            unserved[queue] = last
    return unserved


def projects_waiting_for(queue: str) -> list[Project]:
    """Return the projects that have work waiting for the queue."""
    waiting = Q(rounds__status__in=statuses_on(queue))
    for model in kinds_on(queue):
        rows: Any = model._default_manager
        undone = rows.filter(project=OuterRef("pk"), status__in=[Job.Status.QUEUED, Job.Status.RUNNING])
        waiting |= Q(Exists(undone))
    return list(Project.objects.filter(waiting).distinct().order_by("pk"))


def due_deliveries(now: datetime) -> QuerySet[Delivery]:
    """The deliveries that are due."""
    return Delivery.objects.filter(status=Delivery.Status.WAITING, next_at__lte=now).order_by(F("next_at"), "pk")
