"""PRMs that people connect in the browser, and single traces that they try them on.

People enter no address and no path: the folder is one that workers found under MODELS_DIR, the server is one of the
operator's PRM_SERVERS, and each is chosen by its name.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.jobs import Lease, run_job, wake_worker
from labeling.actions.step_scorers import fault_for_people, register_prm
from labeling.configs import FAMILIES, AskedPrm, PrmFamily
from labeling.configs.prm_families import SEPARATORS
from labeling.count_words import count_of
from labeling.errors import InvalidFields, ModelUnusable, PermissionDenied, PrmNotReady, PrmRegistered, ProjectArchived
from labeling.models import PrmTrial, Project, StepScorer, User

TRY = "worker.try_prm"
Json = dict[str, Any]
# Scores a problem's steps, and returns the columns of a PrmTrial's ending. Raises ModelUnusable.
Trying = Callable[[StepScorer, str, Sequence[str]], Json]


@transaction.atomic
def connect_prm(project: Project, asked: AskedPrm, *, for_all: bool, by: User) -> StepScorer:
    """Register a PRM for the project, or for all. A worker then checks it.

    Raises ProjectArchived, PermissionDenied (only an admin of the site connects one for all), InvalidFields,
    PrmRegistered.
    """
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    if for_all and not by.is_superuser:
        raise PermissionDenied("Only an admin of the site can connect a PRM for all projects.")
    owner = None if for_all else project
    prm = register_prm(asked.name, _record(asked), project=owner, by=by, learned_from=asked.learned_from.strip())
    if prm.status == StepScorer.Status.RETIRED:
        raise PrmRegistered
    return prm


def _record(asked: AskedPrm) -> Json:
    """Return the record that workers open. Raises InvalidFields if a part of it is not on the lists."""
    family = FAMILIES[asked.family]
    if asked.aggregation not in family.aggregations:
        raise _refused("aggregation", f"{family.title} can be aggregated by {' or '.join(family.aggregations)}.")
    place = _server(asked, family) if family.place == "server" else _folders(asked, family)
    record = {"family": family.name, "aggregation": asked.aggregation, **place}
    if family.neutral:
        record["neutral"] = asked.neutral
    if family.separator:
        record["options"] = {"separator": SEPARATORS[asked.separator]}
    return record


def _folders(asked: AskedPrm, family: PrmFamily) -> Json:
    found = {one["folder"] for one in queries.workers.models_found()}
    if asked.folder not in found:
        raise _refused("folder", _no_folder(asked.folder))
    place = {"path": asked.folder, "dtype": asked.dtype}
    if not family.reference:
        return place
    beside = asked.folder.rpartition("/")[0]
    if asked.reference not in found or asked.reference.rpartition("/")[0] != beside:
        raise _refused("reference", "Choose the folder of the reference model. It must be next to the PRM's own.")
    return place | {"base": asked.reference.rpartition("/")[2]}


def _no_folder(folder: str) -> str:
    if not folder:
        return "Choose one of the folders that the workers found."
    return f"No worker of the queue gpu sees a model in {folder!r} now. Choose one from the list, or ask the operator."


def _server(asked: AskedPrm, family: PrmFamily) -> Json:
    server = settings.PRM_SERVERS.get(asked.server)
    if server is None or server.family != family.name:
        raise _refused("server", "Choose one of the servers that the operator listed for this family.")
    if asked.model not in server.models:
        raise _refused("model", "Choose one of the models that the operator listed for this server.")
    options = {**server.options, "model": asked.model}
    if server.key_env:
        options["api_key_env"] = server.key_env
    return {"url": server.url, "options": options}


def _refused(field: str, why: str) -> InvalidFields:
    return InvalidFields(why, fields={field: [why]})


@transaction.atomic
def try_prm(
    project: Project, prm: StepScorer, *, problem: str, steps: list[str], expected: list[float] | None, by: User
) -> PrmTrial:
    """Have a PRM score one trace that is not stored elsewhere. Raises PrmNotReady, InvalidFields."""
    if prm.status != StepScorer.Status.READY:
        raise PrmNotReady("Only a PRM that a worker found ready can score a trace.", status=prm.status)
    if expected and len(expected) != len(steps):
        raise _refused(
            "expected",
            f"The card has {count_of(len(expected), 'number')}, but the trace has {count_of(len(steps), 'step')}."
            " Give one for each.",
        )
    about = {"problem": problem, "steps": steps, "expected": expected or None}
    trial = PrmTrial.objects.create(project=project, scorer=prm, created_by=by, **about)
    audit_log.record("prm.try", actor=by, project=project, target=f"prm {prm.name}"[:120])
    wake_worker(TRY, trial.pk)
    return trial


def run_trial(trial_id: int, score: Trying) -> PrmTrial | None:
    """Score a trial's trace. Returns None if the trial is not free."""

    def work(trial: PrmTrial, lease: Lease) -> Json:
        try:
            return score(trial.scorer, trial.problem, trial.steps)
        except ModelUnusable as unusable:
            raise ModelUnusable(fault_for_people(trial.scorer, unusable.detail)) from unusable

    return run_job(PrmTrial, trial_id, work)
