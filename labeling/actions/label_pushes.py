"""Labels of agents' runs that a worker sends to the service that recorded the runs, each score once."""

import gzip
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction

from labeling.actions import audit_log, exports
from labeling.actions.jobs import Lease, run_job, wake_worker
from labeling.errors import InvalidFields, PushRefused
from labeling.formats.exports.containers import JSON_LINES
from labeling.formats.exports.home.pushing import FORMAT_OF, Part, Sending, sendings
from labeling.models import Export, LabelPush, SentScore, User

PUSH = "worker.push_labels"
BATCH = 50  # requests before recording what was sent: if a worker dies, this many may be sent twice
Json = dict[str, Any]
# Sends one request to a service, as its target says. Raises PushRefused with the service's own message.
Send = Callable[[Json], None]
# Opens a service for several requests.
Opened = Callable[[Any], Send]


def targets_of(export: Export) -> list[str]:
    """Return the names of the services that accept what this export holds."""
    if exports.container_of(export) is not JSON_LINES:
        return []
    return [name for name, target in settings.LABEL_TARGETS.items() if FORMAT_OF[target.kind] == export.format]


@transaction.atomic
def push_export(export: Export, *, by: User, target: str) -> LabelPush:
    """Queue sending an export's scores to a service in LABEL_TARGETS. Raises InvalidFields, ExportNotReady."""
    if target not in targets_of(export):
        known = ", ".join(targets_of(export)) or "none: the operator names them in LABEL_TARGETS"
        do = f"No service with this name accepts this export as JSON lines. Services that do: {known}."
        raise InvalidFields(fields={"target": [do]})
    exports.require_finished(export)
    push = LabelPush.objects.create(project=export.project, export=export, target=target, created_by=by)
    audit_log.record("export.push", actor=by, project=export.project, target=f"export {export.pk}", to=target)
    wake_worker(PUSH, push.pk)
    return push


def run_push(push_id: int, opened: Opened) -> LabelPush | None:
    """Do a waiting push, except for scores that the service already has. Doing it twice does no harm."""

    def work(push: LabelPush, lease: Lease) -> Json:
        export = Export.objects.select_related("project").get(pk=push.export_id)
        target = settings.LABEL_TARGETS.get(push.target)
        if target is None:
            raise PushRefused(f"This worker knows no service called {push.target}. Set LABEL_TARGETS for it too.")
        send = opened(target)
        count = {"scores_total": 0, "scores_sent": push.scores_sent}
        waiting = sendings(_rows(export), target.kind)
        while batch := list(islice(waiting, BATCH)):
            lease.require()
            try:
                _send(push, batch, send, count)
            finally:
                lease.progress = dict(count)
        return dict(count)

    return run_job(LabelPush, push_id, work)


def _rows(export: Export) -> Iterator[Json]:
    path = exports.finished_file(export)
    with gzip.open(path) if exports.config_of(export).gzip else path.open("rb") as file:
        for line in file:
            yield orjson.loads(line)


def _send(push: LabelPush, batch: Sequence[Sending], send: Send, count: dict[str, int]) -> None:
    """Send the parts of a batch that the service does not have, in its requests, and record them as sent."""
    parts = [part for sending in batch for part in sending.parts]
    count["scores_total"] += len(parts)
    ours = SentScore.objects.filter(project=push.project_id, target=push.target, score__in=[one.score for one in parts])
    has = {score: bytes(digest) for score, digest in ours.values_list("score", "digest")}
    sent: list[Part] = []
    try:
        for sending in batch:
            new = [part for part in sending.parts if has.get(part.score) != part.digest]
            if new:
                send(sending.body(new))
                sent += new
    finally:
        _remember(push, sent)
        count["scores_sent"] += len(sent)


def _remember(push: LabelPush, parts: Sequence[Part]) -> None:
    rows = [
        SentScore(project_id=push.project_id, target=push.target, score=part.score, digest=part.digest)
        for part in parts
    ]
    SentScore.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["project", "target", "score"], update_fields=["digest"]
    )
