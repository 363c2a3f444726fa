"""Training runs: freeze the labels of some rounds, write them as rows, train, and register the PRM.

The worker provides the trainer (`worker.training`); nothing here imports torch. A run that is killed at any line
can continue: its labels are frozen, so the rows are the same, and the trainer finds what it left in the run's folder.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log, kept_files
from labeling.actions.evaluations import evaluate_new_prm
from labeling.actions.jobs import Lease, cancel_job, keep, run_job, wake_worker
from labeling.actions.rounds import require_published
from labeling.actions.step_scorers import check_prm, register_prm
from labeling.actions.training_log import RunLog, TrainingCallback
from labeling.configs import TrainingConfig
from labeling.errors import BaseUnknown, InvalidFields, ModelUnusable, NothingToLearn, ProjectArchived, TrainingFailed
from labeling.formats.training import Counts, MachineCounts, as_line, resolved_switches, switch_faults, training_rows
from labeling.models import Project, Round, StepScorer, TrainingRun, User
from labeling.queries.gc_pause import gc_paused

TASK = "worker.train_prm"
FOLDER = "training"  # in the data directory
TRAINED = "trained"  # under MODELS_DIR
ROW_VERSION = 2  # part of the snapshot id: raise it when the same labels would give other rows
Json = dict[str, Any]
Stage = TrainingRun.Stage


class Trained(NamedTuple):
    """What a trainer produced: the registry record of the PRM and a report for people."""

    record: Json
    report: Json


Trainer = Callable[[TrainingRun, Path, TrainingCallback], Trained]
Describe = Callable[[StepScorer], Json]


@transaction.atomic
def create_training_run(
    project: Project,
    *,
    by: User | None,
    config: TrainingConfig,
    wake: bool = True,
    at_close_of: Round | None = None,
) -> TrainingRun:
    """Queue a run over the labels that the config's rounds hold once a worker takes it. `at_close_of`: the round whose
    closing started it.

    Raises ProjectArchived, InvalidFields (round_ids, switches, synthetic_errors, layers, dtype), BaseUnknown,
    NothingToLearn.
    """
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    if config.base not in settings.TRAINING_BASES:
        raise BaseUnknown(_no_such_base(config.base), bases=list(settings.TRAINING_BASES))
    if faults := switch_faults(config.switches) or _option_faults(config):
        raise InvalidFields(fields=faults)
    wanted = require_published(project, config.round_ids)
    resolved = resolved_switches(config.switches)
    sources = _sources(project, config)
    _require_enough(queries.training_examples.preview(project, wanted, resolved), resolved, config.target)
    run = TrainingRun.objects.create(
        project=project,
        created_by=by,
        name=config.name.strip(),
        base=config.base,
        method=config.method,
        target=config.target,
        round_ids=wanted,
        switches=resolved,
        options=config.options.as_json(),
        sources=sources,
        seed=config.seed,
    )
    detail: Json = {
        "base": run.base,
        "method": run.method,
        "predicts": run.target,
        "rounds": wanted,
        "switches": resolved,
    }
    detail |= {"seed": run.seed, **config.options.as_json(), **({"sources": sources} if sources else {})}
    if at_close_of is not None:
        detail["at_close_of"] = f"round {at_close_of.number}"
    audit_log.record("training.create", actor=by, project=project, target=f"training {run.pk}", **detail)
    if wake:
        wake_worker(TASK, run.pk)
    return run


def preview_training(project: Project, *, round_ids: Sequence[int], switches: dict[str, str]) -> Json:
    """Return what a run would learn from now, and why it would be `refused`. Raises InvalidFields (switches)."""
    if faults := switch_faults(switches):
        raise InvalidFields(fields=faults)
    resolved = resolved_switches(switches)
    counts = queries.training_examples.preview(project, round_ids, resolved)
    return {
        **counts,
        "refused": queries.training_examples.too_little(counts, resolved),
        "refused_outcomes": queries.training_examples.too_few_answers(counts),
    }


def run_training(run_id: int, train: Trainer, describe: Describe) -> TrainingRun | None:
    """Do a run that is queued or whose worker died. Returns None if it is not free.

    `train` and `describe` raise ModelUnusable if a model cannot be used: the run fails with its message.
    """

    def work(run: TrainingRun, lease: Lease) -> Json:
        return {"prm": _train(run, RunLog(run, lease), train, describe), "stage": Stage.DONE}

    return run_job(TrainingRun, run_id, work, at_end=_after_training)


def cancel_training(run: TrainingRun, *, by: User) -> TrainingRun:
    """Stop a training run. It makes no PRM. Raises JobFinished."""
    return cancel_job(run, by=by, at_end=_after_training)


def _after_training(run: TrainingRun) -> None:
    _forget_files(run)
    if run.status == TrainingRun.Status.SUCCEEDED and run.prm is not None:
        evaluate_new_prm(run, run.prm)


def _train(run: TrainingRun, notes: RunLog, train: Trainer, describe: Describe) -> StepScorer:
    if run.stage != Stage.CHECKING:  # otherwise a worker died after the training
        trained = _learn(run, notes, train)
        keep(run, stage=Stage.CHECKING, report={**trained.report, "record": trained.record})
    prm = register_prm(prm_name(run), run.report["record"], project=run.project, wake=False)
    check_prm(prm, describe)
    if prm.status != StepScorer.Status.READY:
        raise TrainingFailed(f"The trained PRM cannot be used: {prm.error}")
    return prm


def _learn(run: TrainingRun, notes: RunLog, train: Trainer) -> Trained:
    keep(run, stage=Stage.READING, doing={})
    if run.frozen_at is None:
        _freeze(run)
    with gc_paused():
        data = write_rows(run, notes)
    notes.log_message(
        f"{run.labels_total:,} labels give {run.data['rows']:,} rows of {run.data['problems']:,} problems: "
        f"{run.data['steps']:,} rated steps, {run.data['wrong_steps']:,} of them wrong."
    )
    if run.target == TrainingRun.Target.OUTCOME:
        right, wrong = run.data["right_answers"], run.data["wrong_answers"]
        notes.log_message(
            f"Outcomes are learned from the {right + wrong:,} rows of traces with a graded answer: {right:,} right, "
            f"{wrong:,} wrong."
        )
    for name, found in run.data.get("machines", {}).items():
        said = f"{found['steps']:,} steps, {found['wrong_steps']:,} of them wrong. Nothing is measured on these."
        if run.target == TrainingRun.Target.PROGRESS:
            said = f"what {found['steps']:,} steps changed. The second head alone learns these."
        notes.log_message(f"In addition, {name} gives {found['rows']:,} rows: {said}")
    keep(run, stage=Stage.TRAINING)
    try:
        trained = train(run, data, notes)
    except ModelUnusable:
        notes.lease.require()  # a trainer that was told to stop may fail with an error of its own
        raise
    notes.lease.require()
    kept_files.put_folder(Path(settings.MODELS_DIR) / checkpoint_folder(run))
    return trained


@transaction.atomic
def _freeze(run: TrainingRun) -> None:
    """Choose the labels once and for all. Raises NothingToLearn, LeaseLost."""
    queries.frozen_labels.hold_recent_labels(run.project)
    ids = queries.training_examples.label_ids(run.project, run.round_ids, run.switches)
    if not ids:
        counts = queries.training_examples.preview(run.project, run.round_ids, run.switches)
        _require_enough(counts, run.switches, run.target)
    shape: Json = {"project": run.project_id, "switches": run.switches, "version": ROW_VERSION}
    if run.sources:  # another run of a source may change its marks; the file's own SHA-256 shows it
        shape["sources"] = run.sources
    digest = hashlib.sha256(orjson.dumps(shape, option=orjson.OPT_SORT_KEYS) + ids.tobytes())
    frozen = {
        "label_ids": queries.exports.packed_ids(ids),
        "labels_total": len(ids),
        "snapshot_id": digest.hexdigest(),
        "frozen_at": timezone.now(),
    }
    keep(run, **frozen)


def write_rows(run: TrainingRun, notes: RunLog) -> Path:
    """Write the run's rows to a private file of JSON lines, always the same bytes. Raises LeaseLost, JobCancelled."""
    path = rows_path(run)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, counts, marks = hashlib.sha256(), Counts(), MachineCounts()
    part = path.with_suffix(".part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            for number, row in enumerate(_rows(run, counts, marks), start=1):
                notes.lease.require()
                notes.log_doing(TrainingRun.Doing.ROWS, number, 0 if run.sources else run.labels_total)
                line = as_line(row)
                digest.update(line)
                file.write(line)
        part.replace(path)
    except OSError:  # if the disk is full, free the space at once
        part.unlink(missing_ok=True)
        raise
    said = {"machines": marks.as_json()} if run.sources else {}
    keep(run, data={**counts.as_json(), **said, "sha256": digest.hexdigest()})
    return path


def _rows(run: TrainingRun, people: Counts, marks: MachineCounts) -> Iterator[Json]:
    """Yield the rows of people, then those of machines, and count each."""
    for row in training_rows(queries.training_examples.frozen_labels(run), run.switches):
        people.add(row)
        yield row
    for one in queries.machine_examples.machine_examples(run):
        marks.add(one.row)
        yield one.row


def rows_path(run: TrainingRun) -> Path:
    """Return the path of a run's rows while it runs."""
    return Path(settings.DATA_DIR) / FOLDER / str(run.pk) / "rows.jsonl"


def checkpoint_folder(run: TrainingRun) -> str:
    """Return where a run's PRM is written, relative to MODELS_DIR."""
    return f"{TRAINED}/{run.project.slug}-{run.pk}"


def prm_name(run: TrainingRun) -> str:
    """Return the PRM's name in the registry: the name a person gave it, with the run and its project."""
    return f"{run.name or run.base} ({run.project.slug} {run.pk})"[:100]


def _forget_files(run: TrainingRun) -> None:
    """Remove the rows, which can be written again at any time. Only the PRM stays."""
    shutil.rmtree(rows_path(run).parent, ignore_errors=True)


def _require_enough(counts: Json, switches: dict[str, str], target: str) -> None:
    """Raise NothingToLearn if nothing can be learned from these labels."""
    why = queries.training_examples.too_little(counts, switches)
    if target == TrainingRun.Target.OUTCOME:
        why = why or queries.training_examples.too_few_answers(counts)
    if why:
        raise NothingToLearn(why, counts={name: one for name, one in counts.items() if name != "left_out"})


def _sources(project: Project, config: TrainingConfig) -> list[Json]:
    """Return what a run stores about the machines that also teach it. Raises InvalidFields (sources)."""
    known = queries.sources.sources_of(project).in_bulk(list(config.sources))
    if missing := sorted(set(config.sources) - set(known)):
        raise InvalidFields(fields={"sources": [f"There is no source {missing[0]} in this project's list."]})
    if config.sources and config.target == TrainingRun.Target.OUTCOME:
        raise InvalidFields(
            fields={"sources": ["Choose steps as what it predicts: outcomes are known without these sources."]}
        )
    if config.target == TrainingRun.Target.PROGRESS:
        kinds = [one.kind for one in known.values()]
        if kinds != [StepScorer.Kind.ROLLOUTS]:
            raise InvalidFields(
                fields={"sources": ["Choose one source of rollouts: progress is measured by rollouts."]}
            )
    return [
        {"id": pk, "name": known[pk].name, "kind": known[pk].kind, "weight": weight}
        for pk, weight in sorted(config.sources.items())
    ]


def _option_faults(config: TrainingConfig) -> dict[str, list[str]]:
    """Return the faults of options that this method does not support."""
    if config.target == TrainingRun.Target.PROGRESS and config.method != TrainingRun.Method.HEAD:
        return {"method": ["Choose the head: a second head on progress can only be fitted on a frozen base."]}
    if config.method in (TrainingRun.Method.HEAD, TrainingRun.Method.STACKED):
        return {name: ["Choose LoRA or all weights: the head has none."] for name in config.options.as_json()}
    if config.options.synthetic_errors and config.target != TrainingRun.Target.STEPS:
        return {"synthetic_errors": ["Choose steps as what it predicts."]}
    return {}


def _no_such_base(base: str) -> str:
    known = ", ".join(settings.TRAINING_BASES)
    if not known:
        return "No base model is set up here. Ask the operator to name one in TRAINING_BASES (docs/training.md)."
    return f"There is no base {base!r}. Choose one of {known}."
