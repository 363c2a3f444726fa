"""An archived project can be looked at; nothing new begins in it."""

from typing import Any

import pytest

from labeling.models import Evaluation, EvaluationSet, Export, LabelAudit, Project, Promotion, Round, TrainingRun
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round
from labeling.tests.selection.pools import make_prm

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: Any) -> Project:
    settings.TRAINING_BASES = {"Tiny": "tiny"}
    return make_project("algebra")


def test_nothing_new_begins_in_an_archived_project(project: Project) -> None:
    prm = make_prm(project=project)
    round_ = make_round(project)
    measured = {"traces": 1, "problems": 1, "erroneous": 1, "grader_versions": []}
    made = EvaluationSet.objects.create(project=project, name="Kept back", source="recorded", **measured)
    admin = Browser(make_member(project, "admin"))
    asked: dict[str, dict[str, Any]] = {
        "rounds": {"source": "all"},
        "rounds/start": {"prm": prm.pk, "k": 1},
        "training_runs": {"round_ids": [round_.pk], "base": "Tiny"},
        "evaluation_sets": {"name": "More", "source": "recorded"},
        "evaluations": {"prm": prm.pk, "evaluation_set": made.pk},
        "label_audits": {"prm": prm.pk, "labels": 2},
        "promotions": {"prm": prm.pk},
        "promotions/roll_back": {},
    }
    Project.objects.filter(pk=project.pk).update(status="archived")
    for address, body in asked.items():
        answer = admin.call("POST", f"/api/projects/algebra/{address}", body, status=409)
        assert answer["code"] == "project_archived", address
    assert list(Round.objects.all()) == [round_]
    assert not any(model.objects.exists() for model in (TrainingRun, Evaluation, LabelAudit, Promotion, Export))
    assert admin.call("GET", f"/api/rounds/{round_.pk}")["number"] == 1


def test_without_a_promotion_there_is_nothing_to_go_back_to(project: Project) -> None:
    researcher = Browser(make_member(project, "admin"))
    answer = researcher.call("POST", "/api/projects/algebra/promotions/roll_back", {}, status=409)
    assert answer["code"] == "nothing_to_roll_back"


def test_without_a_base_model_no_training_begins_and_it_says_who_can_name_one(project: Project, settings: Any) -> None:
    round_ = make_round(project)
    researcher = Browser(make_member(project, "researcher"))
    body = {"round_ids": [round_.pk], "base": "Tiny"}
    nothing = researcher.call("POST", "/api/projects/algebra/training_runs", body, status=422)
    assert "0 labels; 0 of them can be learned from" in nothing["detail"]
    settings.TRAINING_BASES = {}
    refused = researcher.call("POST", "/api/projects/algebra/training_runs", body, status=422)
    assert "An operator names one in TRAINING_BASES" in str(refused)
    assert not TrainingRun.objects.exists()
