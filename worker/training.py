"""The training of a PRM: from a run's rows to a registered checkpoint. Training uses torch only here."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from labeling.actions.training_runs import Trained, TrainingCallback, checkpoint_folder
from labeling.formats.training import characters_observed
from labeling.models import TrainingRun
from labeling.queries.machine_examples import machine_examples
from labeling.queries.training_examples import learned_texts
from labeling.statistics import choice_worth
from labeling.statistics.learning_curves import of_auc, told
from worker.model_faults import model_faults
from worker.prm.errors import SpecError
from worker.prm.options import TrainOptions
from worker.prm.train import train as train_model

STATES = "states"  # next to the trained checkpoints: the cache of hidden states
DOING = frozenset(TrainingRun.Doing.values)  # the stages of a trainer whose counts the page shows
CURVES = ("loss", "validation_loss", "validation_auc")
METRICS = (("auc", "auc"), ("auc_given_position", "auc_given_position"))


@model_faults()
def train(run: TrainingRun, data: Path, callback: TrainingCallback) -> Trained:
    """Train as the run asks, from where a killed worker left it. Raises ModelUnusable."""
    base, out = folder_of(run.base), Path(settings.MODELS_DIR) / checkpoint_folder(run)
    out.parent.mkdir(parents=True, exist_ok=True)
    asked = run.trainer_options
    options = TrainOptions(
        base=base,
        method=run.method,
        target=run.target,
        seed=run.seed,
        observed=characters_observed(run.switches),
        synthetic_errors=asked.synthetic_errors,
        layers=(asked.layers,) if asked.layers else (),
        dtype=asked.dtype or None,
        cache=out.parent / STATES,
        lineage=lineage_of(run),
    )
    meta = train_model([data], out, options, progress=lambda event: tell(event, callback), stop=callback.should_stop)
    for note in meta["notes"]:
        callback.log_message(note)
    return Trained({**meta["record"], "path": checkpoint_folder(run), "base": run.base}, report_of(meta))


def lineage_of(run: TrainingRun) -> dict[str, Any]:
    """Return the checkpoint's record of where its labels come from."""
    learned = learned_texts(run)
    for one in machine_examples(run):
        learned["problems"].append(one.problem)
        learned["traces"].append(one.trace)
    learned = {name: sorted(set(hashes)) for name, hashes in learned.items()}
    return {
        "run": run.pk,
        "snapshot_id": run.snapshot_id,
        "rounds": run.round_ids,
        "labels": run.labels_total,
        "switches": run.switches,
        "learned": learned,
        **({"sources": run.sources} if run.sources else {}),
        "roles": {
            "human_label_source": f"{run.labels_total} labels of the project {run.project.slug}",
            **({"automated_judge": ", ".join(_taught(one) for one in run.sources)} if run.sources else {}),
        },
    }


def _taught(source: Mapping[str, Any]) -> str:
    return f"{source['name']} ({source['kind']}, a step weighs {source['weight']:g})"


def tell(event: Mapping[str, Any], callback: TrainingCallback) -> None:
    """Report a trainer's event as what it is doing, a point of a curve or a line of the log."""
    if event["stage"] in DOING:
        callback.log_doing(event["stage"], event["done"], event["total"])
    for curve in CURVES:
        if event.get(curve) is not None:
            callback.log_metric(curve, event["done"], event[curve])
    if event["stage"] == "states" and event["done"] == event["total"]:
        callback.log_message(f"Read the hidden states of {event['total']:,} traces; states in the cache were reused.")
    elif event["stage"] == "validate":
        callback.log_message(f"After step {event['done']:,}: validation loss {event['validation_loss']:.4f}.")
    elif event["stage"] == "written":
        callback.log_message("The checkpoint is written.")


def folder_of(base: str) -> Path:
    """Return the folder of a base on this machine. Raises SpecError."""
    named = settings.TRAINING_BASES.get(base)
    if named is None:
        raise SpecError(f"{base!r} is not in TRAINING_BASES on this worker. All workers must have the same settings.")
    folder = (Path(settings.MODELS_DIR) / named).resolve()
    if not folder.is_dir():
        raise SpecError(f"The base {base!r} should be in {named} under MODELS_DIR, but this worker has no such folder.")
    return folder


def report_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report that users see: metrics next to the baseline's, and everything that made the checkpoint."""
    part = "test" if meta.get("test") else "validation"
    found, plain = meta[part], meta.get(f"{part}_position_and_length_only") or {}
    return {
        "figures": [
            {
                "name": name,
                "baseline": plain.get(key),
                **asdict(of_auc(found[key], found[f"{key}_variance"], found["steps"], found["problems"])),
            }
            for name, key in METRICS
        ],
        "measured_on": meta["chosen_on"] if part == "validation" else "test",
        "learning_curve": told(meta["learning_curve"]) if meta.get("learning_curve") else None,
        "choice_worth": choice_worth.told(meta["choice_worth"]) if meta.get("choice_worth") else None,
        "meta": dict(meta),
    }
