"""A round's page says how many random labels its chosen ones were worth, or why this is unknown."""

from typing import Any

import pytest

from labeling.models import Project, Round, Task, TrainingRun
from labeling.statistics.choice_worth import NEWEST
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round

pytestmark = pytest.mark.django_db
ESTIMATE = {"value": 12.4, "low": 3.0, "high": 20.5, "n": 6, "clusters": 9, "no_interval": None}
MEASURED = {"labels": 6, "worth": ESTIMATE, "because": None, "at_least": None}


def chosen_round(project: Project, *, chosen: int = 6) -> Round:
    """A round of ten traces, some of them chosen by a PRM, the rest by chance."""
    round_ = make_round(project, traces=10)
    for place, task in enumerate(Task.objects.filter(round=round_).order_by("pk")):
        Task.objects.filter(pk=task.pk).update(reason="convincing_wrong" if place < chosen else "control")
    return round_


def train(round_: Round, report: dict[str, Any], **about: Any) -> TrainingRun:
    said = {"base": "b", "status": "succeeded", "round_ids": [round_.pk], **about}
    return TrainingRun.objects.create(project=round_.project, report=report, **said)


def worth_of(round_: Round) -> Any:
    reader = make_member(round_.project, "researcher")
    return Browser(reader).call("GET", f"/api/rounds/{round_.pk}/figures")["worth"]


def test_a_round_that_chance_chose_whole_or_nobody_chose_has_no_worth_of_its_choice() -> None:
    project = make_project()
    assert worth_of(make_round(project, traces=3)) is None
    assert worth_of(chosen_round(project, chosen=0)) is None


def test_the_newest_training_of_a_head_that_learned_from_the_round_says_what_its_choice_was_worth() -> None:
    round_ = chosen_round(make_project())
    assert worth_of(round_)["because"] == "not_trained"
    train(round_, {"choice_worth": None}, method="lora")
    train(round_, {"choice_worth": None}, target="outcome")
    train(round_, {"choice_worth": None}, status="failed")
    assert worth_of(round_)["because"] == "not_trained", "none of these measures it"
    assert worth_of(round_)["run"] is None
    train(round_, {"figures": []})
    assert worth_of(round_)["because"] == "older_training"
    none = train(round_, {"choice_worth": None})
    assert (worth_of(round_)["because"], worth_of(round_)["run"]) == ("no_random", none.pk)
    report = {"random_labels": 40, "problems": 9, "rounds": [{"round": round_.pk, **MEASURED}]}
    run = train(round_, {"choice_worth": report}, method="stacked")
    assert worth_of(round_) == {"run": run.pk, "random_labels": 40, **MEASURED}


def test_of_an_older_round_the_newest_training_that_measured_it_speaks() -> None:
    round_ = chosen_round(make_project())
    newest = [{"round": round_.pk + further, **MEASURED} for further in range(1, NEWEST + 1)]
    ten = {"random_labels": 90, "problems": 9, "rounds": newest}
    last = train(round_, {"choice_worth": ten})
    assert (worth_of(round_)["because"], worth_of(round_)["run"]) == ("not_newest", last.pk), "no word of random labels"
    mine = {"random_labels": 40, "problems": 9, "rounds": [{"round": round_.pk, **MEASURED}]}
    run = train(round_, {"choice_worth": mine})
    train(round_, {"choice_worth": ten})
    train(round_, {"choice_worth": None})
    train(round_, {"figures": []})
    assert worth_of(round_) == {"run": run.pk, "random_labels": 40, **MEASURED}, "later ones measured others"


def test_a_training_that_measured_fewer_rounds_than_it_may_learned_nothing_that_this_one_chose() -> None:
    round_ = chosen_round(make_project())
    train(round_, {"choice_worth": {"random_labels": 40, "rounds": [{"round": round_.pk + 1, **MEASURED}]}})
    assert worth_of(round_)["because"] == "none_learned"
