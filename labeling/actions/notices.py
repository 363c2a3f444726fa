"""Notices to people and other systems: `notify` writes one per event, and `webhook_deliveries.py` sends it."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from labeling import queries
from labeling.actions.jobs import DELIVER, wake_worker
from labeling.count_words import count_of
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.names import one_line
from labeling.models import Delivery, Export, Label, Notice, NoticeKind, Project, Round, User, Webhook
from labeling.queries.haste import HastyLabeler
from labeling.queries.notices import SINCE, wants
from labeling.queries.projects import ADMIN, RESEARCHER

HASTY_TITLE = "{name} labels faster than anyone can read"
HASTY_EVENT = "hasty_labels:{round}:{labeler}"
WAIT = {"cpu": "Imports, exports and rounds", "gpu": "Rounds, trainings and evaluations"}


@transaction.atomic
def notify(
    project: Project | None,
    kind: NoticeKind | str,
    *,
    event: str,
    title: str,
    text: str,
    path: str = "",
    people: Iterable[User] = (),
    roles: Iterable[str] = (),
    but: Iterable[User] = (),
    facts: dict[str, Any] | None = None,
) -> int:
    """Notify these people, the project's active members with these roles, and its webhooks. Returns how many got a new
    notice in the app.

    `but`: people who are notified of the same thing in another way.

    `event` identifies what happened ("round_finished:7"): nobody is notified twice, so calling this twice, or from two
    workers, does no harm. Everybody chooses which kinds reach them in the app and by mail. `facts` are JSON values for
    webhooks, and never contain the text of a label or which traces are gold.
    """
    told = {person.pk: person for person in people}
    if project is not None:
        told |= {person.pk: person for person in queries.notices.members(project, tuple(roles))}
    for person in but:
        told.pop(person.pk, None)
    about = {"project": project, "kind": kind, "event": event}
    said = {"title": one_line(title), "text": text, "path": path}
    in_app = [Notice(person=person, **about, **said) for person in told.values() if wants(person, kind, "app")]
    before = Notice.objects.filter(event=event, person__in=told).count()
    Notice.objects.bulk_create(in_app, ignore_conflicts=True)
    message = {"kind": kind, "event": event, "project": project.slug if project else None, **said, "facts": facts or {}}
    out = [
        Delivery(person=person, message=message, **about)
        for person in told.values()
        if settings.MAIL and person.email and wants(person, kind, "mail")
    ]
    out += [Delivery(webhook=hook, message=message, **about) for hook in _listening(project, kind)]
    _send_out(out)
    return Notice.objects.filter(event=event, person__in=told).count() - before


def tell_export_ready(export: Export) -> None:
    """Notify the person who requested the export that it is ready."""
    if export.created_by is None:
        return
    format, rows = EXPORT_FORMATS[export.format], "1 row" if export.rows == 1 else f"{export.rows:,} rows"
    notify(
        export.project,
        NoticeKind.EXPORT_READY,
        event=f"export_ready:{export.pk}",
        title="An export is ready",
        text=f"Your export in the format {format.title} ({format.name}), with {rows}, is ready to download.",
        path=f"/projects/{export.project.slug}/exports/{export.pk}",
        people=[export.created_by],
        facts={"export": export.pk, "format": export.format, "rows": export.rows, "sha256": export.sha256},
    )


def watch_rounds(now: datetime | None = None) -> int:
    """Report open rounds that are fully labeled, that nobody claims from any more, or whose gold some labelers have had
    before. Returns how many rounds were checked.
    """
    now = now or timezone.now()
    watched = queries.notices.watched_rounds()
    for round_, wanting, held in watched:
        if wanting and round_.gold_count:
            _tell_gold_short(round_)
        if held:
            continue
        if not wanting:
            _tell_finished(round_)
        elif since := queries.notices.quiet_since(round_, now - timedelta(hours=round_.project.stalled_hours)):
            _tell_stalled(round_, since, now)
    return len(watched)


def watch_haste(now: datetime | None = None) -> int:
    """Notify admins of labelers whose newest labels in an open round are too fast to be read. Returns their number.

    Only projects with a label of the last hour are examined: in the others, nothing has changed since.
    """
    now, told = now or timezone.now(), 0
    open_rounds = Round.objects.filter(status=Round.Status.LABELING, project__status=Project.Status.ACTIVE)
    new = Label.objects.filter(project=OuterRef("pk"), submitted_at__gt=now - timedelta(hours=1))
    for project in Project.objects.filter(Exists(new), rounds__in=open_rounds).distinct():
        floor, found = queries.haste.hasty_lately(project, now)
        for one in found:
            tell_hasty(project, one, floor)
        told += len(found)
    return told


def watch_workers(now: datetime | None = None) -> list[str]:
    """Report queues that no worker serves, and return their names. Called by the beat process, without any worker.

    Each person is notified of a queue once, whether they run the site or several of the projects that wait.
    """
    now = now or timezone.now()
    silent = queries.notices.unserved_queues(now)
    for queue, last_seen in silent.items():
        since = last_seen.isoformat(timespec="seconds") if last_seen else "never"
        ago = f"A worker was last seen {_ago(now - last_seen)} ago." if last_seen else "No worker was ever seen."
        about: dict[str, Any] = {
            "title": f"No worker serves the queue {queue}",
            "text": f"{ago} {WAIT[queue]} wait until one starts. Nothing is lost.",
            "facts": {"queue": queue, "last_seen": since},
        }
        event, told = f"no_worker:{queue}:{since}", queries.notices.superusers()
        notify(None, NoticeKind.NO_WORKER, event=event, people=told, path="/site", **about)
        for project in queries.notices.projects_waiting_for(queue):
            one = {"event": f"{event}:{project.pk}", "but": list(told), "roles": [ADMIN], **about}
            notify(project, NoticeKind.NO_WORKER, path=f"/projects/{project.slug}", **one)
            told += queries.notices.members(project, [ADMIN])
    return list(silent)


def read_notice(notice: Notice) -> Notice:
    """Mark a notice as read. The first time counts."""
    Notice.objects.filter(pk=notice.pk, read_at=None).update(read_at=timezone.now())
    notice.refresh_from_db(fields=["read_at"])
    return notice


def read_all_notices(person: User) -> int:
    """Mark all of a person's notices as read. Returns how many were unread."""
    return Notice.objects.filter(person=person, read_at=None).update(read_at=timezone.now())


@transaction.atomic
def choose_notices(person: User, *, kind: str, channel: str, on: bool) -> None:
    """Set whether notices of this kind reach a person in the app or by mail. Not audited: it is their own choice."""
    locked = User.objects.select_for_update(no_key=True).get(pk=person.pk)
    choices = locked.notice_choices
    chosen: dict[str, bool | str] = {channel: on}
    if on and not wants(locked, kind, channel):
        chosen[SINCE.format(channel=channel)] = timezone.now().isoformat()  # earlier notices stay hidden
    person.notice_choices = choices | {kind: choices.get(kind, {}) | chosen}
    person.save(update_fields=["notice_choices"])


def _all_tasks(count: int) -> str:
    return "Its only task has its" if count == 1 else f"All {count:,} tasks have their"


def _tell_finished(round_: Round) -> None:
    name = round_.name or f"Round {round_.number}"
    notify(
        round_.project,
        NoticeKind.ROUND_FINISHED,
        event=f"round_finished:{round_.pk}",
        title=f"{name} is labeled",
        text=f"{_all_tasks(round_.task_count)} labels. Look at the report, then close the round.",
        path=f"/projects/{round_.project.slug}/rounds/{round_.pk}",
        roles=[RESEARCHER, ADMIN],
        facts={"round": round_.number, "tasks": round_.task_count},
    )


def _tell_stalled(round_: Round, since: datetime, now: datetime) -> None:
    name = round_.name or f"Round {round_.number}"
    notify(
        round_.project,
        NoticeKind.QUEUE_STALLED,
        event=f"queue_stalled:{round_.pk}:{since.isoformat(timespec='seconds')}",
        title=f"Nobody labels {name}",
        text=f"It still wants labels, but nobody has claimed a task for {_ago(now - since)}. "
        "Ask the labelers, or pause the round.",
        path=f"/projects/{round_.project.slug}/rounds/{round_.pk}",
        roles=[RESEARCHER, ADMIN],
        facts={"round": round_.number, "since": since.isoformat()},
    )


def _tell_gold_short(round_: Round) -> None:
    """Report gold that some have had: no labeler gets the same gold twice, in a screening or a round."""
    coming = queries.gold.gold_to_come(round_)
    short = sum(one < round_.gold_count for one in coming)
    if not short:
        return
    name = round_.name or f"Round {round_.number}"
    who = "The labeler" if short == len(coming) == 1 else f"{short} of {len(coming)} labelers"
    notify(
        round_.project,
        NoticeKind.GOLD_SHORT,
        event=f"gold_short:{round_.pk}",
        title=f"Too little new gold in {name}",
        text=f"{who} already had some of its {round_.gold_count} gold tasks and will not get them again, so only "
        f"{count_of(coming[0], 'new one is', 'new ones are')} left for the labeler with the fewest. Add gold before "
        "the next round.",
        path=f"/projects/{round_.project.slug}/gold",
        roles=[RESEARCHER, ADMIN],
        facts={"round": round_.number, "gold": round_.gold_count, "labelers": short, "least": coming[0]},
    )


def tell_hasty(project: Project, one: HastyLabeler, floor: int) -> None:
    """Notify a project's admins, once per labeler and round. `floor`: the fewest milliseconds per step."""
    name = one_line(one.round.name) or f"Round {one.round.number}"
    notify(
        project,
        NoticeKind.HASTY_LABELS,
        event=HASTY_EVENT.format(round=one.round.pk, labeler=one.labeler.pk),
        title=HASTY_TITLE.format(name=one.labeler.shown_name)[:200],
        text=f"{one.hasty} of their last {one.labels} labels in {name} took less than {floor / 1000:.1f} s per step. "
        "Look at the labels and talk to the labeler. Training runs and exports can leave hasty labels out.",
        path=f"/projects/{project.slug}/labelers",
        roles=[ADMIN],
        facts={"round": one.round.number, "hasty": one.hasty, "labels": one.labels, "floor_ms": floor},
    )


def hasty_events(labeler: User) -> Q:
    """Match the notices that name this labeler, including those of rounds in a project taken out to a file."""
    before, _, after = HASTY_EVENT.format(round="*", labeler=labeler.pk).partition("*")
    return Q(event__startswith=before, event__endswith=after)


def _ago(time: timedelta) -> str:
    hours, minutes = divmod(int(time.total_seconds()) // 60, 60)
    return f"{hours} hours" if hours >= 2 else f"{hours * 60 + minutes} minutes"


def _listening(project: Project | None, kind: str) -> list[Webhook]:
    hooks = Webhook.objects.filter(project=project, is_active=True) if project is not None else Webhook.objects.none()
    return [hook for hook in hooks if kind in hook.kinds]


def _send_out(deliveries: list[Delivery]) -> None:
    Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)
    written = Delivery.objects.filter(number__in=[delivery.number for delivery in deliveries])
    for delivery_id in written.values_list("pk", flat=True):
        wake_worker(DELIVER, delivery_id)
