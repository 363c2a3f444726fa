"""A training's figures about its labels are shown without an interval if there are too few labels for one."""

from typing import Any

import pytest
from django.utils import timezone

from labeling.models import Project, Round, Task, TrainingRun
from labeling.statistics import choice_worth
from labeling.statistics.learning_curves import told
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_round
from labeling.tests.metrics.shown_intervals import Walk
from labeling.tests.selection.pools import make_prm
from worker.prm.choice_worth import curves
from worker.prm.kernels import one_thread
from worker.tests.prm.test_choice_worth import refit_of, step_set

pytestmark = pytest.mark.django_db


def report_of(round_: Round, number: int, chosen: int) -> dict[str, Any]:
    """Return the trainer's data about a head that learned from this many labels, some of them chosen by the round."""
    steps = step_set(number, chosen, seed=1)
    assert steps.rounds is not None
    steps.rounds.fill_(round_.pk)
    with one_thread(True):
        found = curves(steps, refit_of(steps), 1, lambda: False)
    curve, worth = found["learning_curve"], found["choice_worth"]
    return {"learning_curve": curve and told(curve), "choice_worth": worth and choice_worth.told(worth)}


def test_no_interval_on_a_trainings_pages_is_narrower_than_the_data_allow(project: Project) -> None:
    reader = Browser(make_member(project, "researcher"))
    walk = Walk()
    for number, chosen in ((0, 0), (1, 1), (2, 1), (5, 2), (50, 10), (700, 100)):
        round_ = make_round(project, traces=max(1, number // 50))
        Task.objects.filter(round=round_).update(reason="convincing_wrong")
        run = TrainingRun.objects.create(
            project=project,
            base="b",
            status="succeeded",
            round_ids=[round_.pk],
            labels_total=number,
            finished_at=timezone.now(),
            prm=make_prm(f"Of {number}", project=project),
            report=report_of(round_, number, chosen),
        )
        pages = ["home", "model_history", "training_runs", "prms"]
        paths = [
            f"training_runs/{run.pk}",
            f"rounds/{round_.pk}/figures",
            *(f"projects/{project.slug}/{one}" for one in pages),
        ]
        for path in paths:
            walk.look_at(number, reader, path)
    assert not walk.wrong, walk.wrong
    assert not any(walk.shown[number] for number in (0, 1, 2)), "so few show nothing"
    said = {f"{name.split('/')[0]} {name.split()[-1]}" for name in walk.shown[700]}
    assert {"training_runs auc", "rounds worth", "projects auc"} <= said, said
