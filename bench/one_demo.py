"""The demo project in the environment of a fresh stack: `-m bench.one_demo head` or `… journey RECORD`.

`head` trains a PRM on the labels that the demo comes with, as the page "Train a PRM" does, and prints its folder.
`journey` plays a newcomer's first fifteen minutes automatically: round, ten labels, training, next round. The work is
done in this process, by the functions that workers call.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import django
import numpy as np
from celery import current_app
from django.conf import settings

django.setup()

from bench.one_round import recorded, stage_seconds  # noqa: E402
from labeling.actions.demo import Login, load_demo  # noqa: E402
from labeling.actions.evaluations import create_evaluation  # noqa: E402
from labeling.actions.labels import claim_next_label, submit_label  # noqa: E402
from labeling.actions.round_stages import advance_round, start_round  # noqa: E402
from labeling.actions.rounds import close_round, publish_round  # noqa: E402
from labeling.actions.training_runs import create_training_run  # noqa: E402
from labeling.configs import StagedConfig, TrainingConfig  # noqa: E402
from labeling.models import Evaluation, EvaluationSet, Project, Round, Score, StepScorer, TrainingRun, User  # noqa: E402

Json = dict[str, Any]
PEOPLE = (("admin", "admin"), ("ada", "annotator"), ("ben", "annotator"))
LOGINS = [Login(name, f"nobody ever types this {name}", role) for name, role in PEOPLE]
LABELS = 10


def head() -> Json:
    """Train a PRM on the demo's own labels; return its folder under MODELS_DIR."""
    project = load_demo(LOGINS)
    run = train(project, Round.objects.filter(project=project), "Demo PRM")
    assert run.prm is not None
    return {"path": run.prm.spec["path"]}


def journey(record: str) -> Json:
    """Return how long each part takes, how good both PRMs are, and how far the ranking of the pool moved."""
    found: Json = {"seconds": {}}
    clock = found["seconds"]
    project = timed(clock, "load", lambda: load_demo(LOGINS, json.loads(Path(record).read_text())))
    prm = StepScorer.objects.get(project=None)
    timed(clock, "check", lambda: work("worker.check_prm", prm.pk))
    prm.refresh_from_db()
    first = prepare(project, prm, clock, "first round")
    publish_round(first, by=None)
    label_ten(project)
    close_round(first, by=None)
    rounds = Round.objects.filter(project=project)
    run = timed(clock, "training", lambda: train(project, rounds, "After ten labels"))
    after = run.prm
    assert after is not None
    clock |= {f"training, {name}": spent for name, spent in run.report["meta"]["seconds"].items()}
    prepare(project, after, clock, "next round")
    return {
        **found,
        "traces": Score.objects.filter(scorer=prm).count(),
        "labels": {"before": record_labels(record), "after": run.labels_total},
        "auc": {"before": auc(project, prm), "after": auc(project, after)},
        "baseline": baseline(project, after),
        "rank_correlation": rank_correlation(prm, after),
    }


def timed(clock: Json, name: str, done: Callable[[], Any]) -> Any:
    """Call `done`, record its seconds under the name, and return its result."""
    began = time.monotonic()
    result = done()
    clock[name] = round(time.monotonic() - began, 1)
    return result


def work(task: str, *about: Any) -> None:
    """Do what a worker does with one message."""
    current_app.loader.import_default_modules()
    current_app.tasks[task](*about)


def train(project: Project, rounds: Sequence[Round] | Any, name: str) -> TrainingRun:
    """Run the training that the page "Train a PRM" suggests by default. Raises RuntimeError."""
    [base] = settings.TRAINING_BASES
    ids = [round_.pk for round_ in rounds]
    run = create_training_run(project, by=None, config=TrainingConfig(tuple(ids), base, name=name), wake=False)
    work("worker.train_prm", run.pk)
    run.refresh_from_db()
    if run.status != TrainingRun.Status.SUCCEEDED:
        raise RuntimeError(run.error)
    return run


def prepare(project: Project, prm: StepScorer, clock: Json, name: str) -> Round:
    """Prepare a round of convincing wrong answers, with the form's defaults, until it is ready."""
    config = StagedConfig(k=4)
    round_ = start_round(project, by=None, scorer=prm, config=config, seed=1)
    began = time.monotonic()
    while round_.status not in (Round.Status.READY, Round.Status.FAILED):
        advance_round(round_.pk)
        round_.refresh_from_db()
        work("worker.run_chunks", round_.pk, round_.planned)
        round_.refresh_from_db()
    if round_.status == Round.Status.FAILED:
        raise RuntimeError(round_.error)
    clock[name] = round(time.monotonic() - began, 1)
    clock[f"{name}, scoring"] = round(stage_seconds(round_, "scoring")["seconds"], 1)
    return round_


def label_ten(project: Project) -> None:
    """Label the first ten tasks of the queue with the truth recorded by the traces' author."""
    ada = User.objects.get(username="ada")
    for _ in range(LABELS):
        label = claim_next_label(ada, project).label
        assert label is not None
        submit_label(label, recorded(label))


def auc(project: Project, prm: StepScorer) -> Json:
    """Return the step AUC on the demo's evaluation set, with its interval."""
    figures = {figure["name"]: figure for figure in evaluated(project, prm).report["figures"]}
    return {name: figures["auc"][name] for name in ("value", "low", "high")}


def baseline(project: Project, prm: StepScorer) -> float:
    """Return the same for position and length alone."""
    figures = {figure["name"]: figure for figure in evaluated(project, prm).report["figures"]}
    return float(figures["auc"]["baseline"])


def evaluated(project: Project, prm: StepScorer) -> Evaluation:
    """Evaluate the PRM on the project's set."""
    made = create_evaluation(project, by=None, scorer=prm, evaluation_set=EvaluationSet.objects.get(), wake=False)
    work("worker.evaluate_prm", made.pk)
    made.refresh_from_db()
    return made


def rank_correlation(before: StepScorer, after: StepScorer) -> float:
    """Return Spearman's correlation over the traces with a wrong answer that both PRMs scored."""
    wrong = Score.objects.filter(outcome="wrong", score__isnull=False)
    one, other = (dict(wrong.filter(scorer=prm).values_list("trace_id", "score")) for prm in (before, after))
    both = sorted(one.keys() & other.keys())
    scores = np.array([[found[trace] for trace in both] for found in (one, other)], dtype=float)
    left, right = scores.argsort(1).argsort(1) - (len(both) - 1) / 2
    return round(float((left * right).sum() / (left * left).sum()), 3)


def record_labels(record: str) -> int:
    """Return how many labels the demo's PRM learned from."""
    meta = json.loads((Path(record).parent / "demo-prm" / "meta.json").read_text())
    return int(meta["lineage"]["labels"])


def main(arguments: Sequence[str]) -> int:
    """Run `head`, or `journey RECORD`."""
    what, *about = arguments
    print(json.dumps(head() if what == "head" else journey(*about)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
