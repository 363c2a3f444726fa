"""The registry of PRMs. Workers open the folder or address in a record, so only an operator writes one freely.
`prm_connections` puts together the records of PRMs that people connect.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.jobs import send_task
from labeling.errors import InvalidFields, ModelUnusable, PrmInUse, PrmNotFaulty, PrmRegistered
from labeling.models import LearnedText, Project, Round, StepScorer, User

CHECK = "worker.check_prm"


@transaction.atomic
def register_prm(
    name: str,
    record: Mapping[str, Any],
    *,
    project: Project | None = None,
    wake: bool = True,
    by: User | None = None,
    learned_from: str = "",
) -> StepScorer:
    """Add a PRM, for one project or for all. A worker of the queue gpu then checks it, unless `wake` is off.

    A name belongs to its project: whether another one uses it is not revealed. The same record under the same name is
    only checked again. Raises PrmRegistered, InvalidFields.
    """
    spec = _checked_record(record)
    said = {"spec": spec, "created_by": by, "learned_from": learned_from}
    scorers = StepScorer.objects.select_for_update()  # of two calls at once, the second finds the first's
    prm, new = scorers.get_or_create(name=name, project=project, defaults=said)
    if prm.spec != spec:
        raise PrmRegistered
    if new:
        audit_log.record("prm.register", actor=by, project=project, target=f"prm {name}"[:120], family=spec["family"])
    if wake:
        _ask_for_check(prm)
    return prm


@transaction.atomic
def recheck_prm(prm: StepScorer, *, by: User) -> StepScorer:
    """Have a worker check an unusable PRM again. Raises PrmNotFaulty."""
    faulty = StepScorer.objects.filter(pk=prm.pk, status=StepScorer.Status.FAULTY)
    if not faulty.update(status=StepScorer.Status.UNCHECKED, error=""):
        raise PrmNotFaulty
    audit_log.record("prm.recheck", actor=by, project=prm.project, target=f"prm {prm.name}"[:120])
    _ask_for_check(prm)
    prm.refresh_from_db()
    return prm


@transaction.atomic
def retire_prm(prm: StepScorer, *, by: User | None = None) -> None:
    """Stop offering a PRM. Its scores and rounds stay. Raises PrmInUse while an unfinished round uses it."""
    in_use = queries.rounds.unfinished_rounds_of(prm)
    if in_use:
        raise PrmInUse(_in_use(prm, in_use))
    StepScorer.objects.filter(pk=prm.pk).update(status=StepScorer.Status.RETIRED)
    audit_log.record("prm.retire", actor=by, project=prm.project, target=f"prm {prm.name}"[:120])


def check_prm(prm: StepScorer, describe: Callable[[StepScorer], Mapping[str, Any]]) -> StepScorer:
    """Record what a worker found out about a PRM, or why it cannot use it. Also record `learned`, the hashes of the
    problems and traces it was trained on, if its folder lists them.

    `describe` loads the PRM, and raises ModelUnusable if that fails. A PRM that was ready and is different today is
    faulty: its scores come from another model.
    """
    learned: Collection[bytes] | None = None
    try:
        described = dict(describe(prm))
        learned = described.pop("learned", None)
        found: dict[str, Any] = {"status": StepScorer.Status.READY, "error": "", **described}
        if prm.fingerprint and prm.fingerprint != found["fingerprint"]:
            found = _faulty("Its weights have changed since they were checked. Register it under another name.")
    except ModelUnusable as unusable:
        found = _faulty(fault_for_people(prm, unusable.detail))
    with transaction.atomic():
        if found["status"] == StepScorer.Status.READY:
            found["learned_texts"] = _note_learned(prm, learned)
        StepScorer.objects.filter(pk=prm.pk).exclude(status=StepScorer.Status.RETIRED).update(
            **found, checked_at=timezone.now()
        )
    prm.refresh_from_db()
    return prm


def _note_learned(prm: StepScorer, hashes: Collection[bytes] | None) -> int | None:
    LearnedText.objects.filter(scorer=prm).delete()
    if hashes is None:
        return None
    rows = [LearnedText(scorer=prm, text_hash=one) for one in sorted(set(hashes))]
    return len(LearnedText.objects.bulk_create(rows, batch_size=10_000))


def fault_for_people(prm: StepScorer, fault: str) -> str:
    """Return a worker's message without the models' path on its machine and without the server's address."""
    folder = Path(settings.MODELS_DIR)
    hidden = [(f"{folder.resolve()}/", ""), (f"{folder}/", "")]
    if url := prm.spec.get("url"):
        hidden.append((url.rstrip("/"), "the server"))
    for text, shown in hidden:
        fault = fault.replace(text, shown)
    return fault


def sweep_prms() -> None:
    """Request again the check of every unchecked PRM. An unread message expires before the next one."""
    for prm_id in StepScorer.objects.filter(status=StepScorer.Status.UNCHECKED).values_list("pk", flat=True):
        send_task(CHECK, prm_id, queue="gpu", expires=20)


def _in_use(prm: StepScorer, rounds: Sequence[Round]) -> str:
    """Return why it cannot be retired, and what to do first. For a PRM for all projects, which only an admin of the
    site retires, name the projects.
    """
    place = {one.pk: f" of {one.project.slug}" if prm.project_id is None else "" for one in rounds}
    named = ", ".join(f"round {one.number}{place[one.pk]} ({one.get_status_display().lower()})" for one in rounds)
    which = "it" if len(rounds) == 1 else "them"
    return f"{prm.name} is the selector of {named}. Close or cancel {which} first."


def _ask_for_check(prm: StepScorer) -> None:
    prm_id = prm.pk
    transaction.on_commit(lambda: send_task(CHECK, prm_id, queue="gpu"))


def _faulty(error: str) -> dict[str, Any]:
    return {"status": StepScorer.Status.FAULTY, "error": error}


def _checked_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Check as much of a record as possible without loading anything. Raises InvalidFields."""
    if not isinstance(record, Mapping) or not isinstance(record.get("family"), str):
        raise _refusal("The record is a JSON object that names its family.")
    path, url = record.get("path"), record.get("url")
    if (path is None) == (url is None):
        raise _refusal("The record has either a path (a folder under MODELS_DIR) or a url (a server), not both.")
    folders = [path] if path is not None else []
    if record["family"] == "implicit" and record.get("base"):
        folders.append(record["base"])
    for folder in folders:
        if not isinstance(folder, str) or PurePosixPath(folder).is_absolute() or ".." in PurePosixPath(folder).parts:
            raise _refusal(f"{folder!r} is not a folder under MODELS_DIR: paths are relative to it, without `..`.")
    return dict(record)


def _refusal(text: str) -> InvalidFields:
    return InvalidFields(text, fields={"record": [text]})
