"""Refused evaluation sets, evaluations and promotions, and their messages."""

from pathlib import Path
from typing import Any

import pytest

from labeling.actions.step_scorer_promotions import promote_prm
from labeling.actions.step_scorers import check_prm
from labeling.models import Evaluation, EvaluationSet, Project, Promotion, Round
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_traces
from labeling.tests.selection.pools import make_prm
from labeling.tests.training.labels import import_labels, labeled_row, problem_texts

pytestmark = pytest.mark.django_db(transaction=True)  # an import: another connection renews its lease


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def researcher(project: Project) -> Browser:
    return Browser(make_member(project, "researcher"))


def make_set(project: Project, name: str = "Made") -> EvaluationSet:
    """One that was made before."""
    counts = {"traces": 1, "problems": 1, "erroneous": 1, "grader_versions": []}
    return EvaluationSet.objects.create(project=project, name=name, source="recorded", **counts)


def test_a_set_of_labels_is_of_published_rounds_that_hold_labels_to_measure_on(
    project: Project, researcher: Browser, tmp_path: Path
) -> None:
    learned = import_labels(project, tmp_path, labeled_row(next(problem_texts(False)), [1, -1]))
    unpublished = Round.objects.create(project=project, number=8, status="ready")
    foreign = Round.objects.create(project=make_project(), number=1, status="labeling", imported=True)

    def refusal(status: int, *rounds: Round) -> dict[str, Any]:
        asked = {"name": "Kept back", "source": "labels", "round_ids": [round_.pk for round_ in rounds]}
        path = f"/api/projects/{project.slug}/evaluation_sets"
        answer: dict[str, Any] = researcher.call("POST", path, asked, status=status)
        return answer

    assert refusal(400)["fields"] == {"round_ids": ["Choose at least one round."]}
    for unfit in (unpublished, foreign):
        assert refusal(400, learned, unfit)["fields"] == {"round_ids": ["Choose published rounds of this project."]}
    nothing = refusal(422, learned)
    assert nothing["code"] == "nothing_to_evaluate_on"
    assert "No label of these rounds is on a problem of the evaluation split" in nothing["detail"]
    assert not EvaluationSet.objects.exists()


def test_what_is_evaluated_already_is_not_evaluated_twice_at_once(project: Project, researcher: Browser) -> None:
    prm, evaluation_set = make_prm(project), make_set(project)
    path = f"/api/projects/{project.slug}/evaluations"
    asked = {"prm": prm.pk, "evaluation_set": evaluation_set.pk}
    first = researcher.call("POST", path, asked, status=201)["id"]
    assert researcher.call("POST", path, asked, status=201)["id"] == first
    other = researcher.call("POST", path, {**asked, "threshold": 0.4}, status=201)["id"]
    Evaluation.objects.filter(pk=first).update(status="running", cancel_requested=True)
    assert len({first, other, researcher.call("POST", path, asked, status=201)["id"]}) == 3


def test_a_set_of_recorded_errors_says_what_to_import_where_there_are_none(
    project: Project, researcher: Browser
) -> None:
    asked = {"name": "ProcessBench", "source": "recorded"}
    nothing = researcher.call("POST", f"/api/projects/{project.slug}/evaluation_sets", asked, status=422)
    assert nothing["code"] == "nothing_to_evaluate_on"
    assert "Import some first, for example a ProcessBench file." in nothing["detail"]
    assert not EvaluationSet.objects.exists()


def test_a_set_with_a_problem_that_the_prms_meta_json_names_is_refused_and_the_unknown_is_said(
    project: Project, researcher: Browser
) -> None:
    prm, [trace] = make_prm(project=project), make_traces(project)
    made, asked = make_set(project), f"/api/projects/{project.slug}/evaluations"
    made.items.create(trace=trace, problem=trace.problem, first_error=-1, outcome="ungraded")
    assert researcher.call("GET", f"/api/projects/{project.slug}/selector")["why"] == "none"
    body = {"prm": prm.pk, "evaluation_set": made.pk}
    unknown = researcher.call("POST", asked, body, status=201)
    assert (unknown["origin_known"], unknown["learned_from"]) == (False, "")
    news = f"/api/projects/{project.slug}/promotions/news?prm={prm.pk}"
    kinds = [one["kind"] for one in researcher.call("GET", news)["results"]]
    assert kinds == ["origin_unknown", "not_evaluated"], "who is about to promote it is told"
    found = {"fingerprint": prm.fingerprint, "scale": "probability"}
    check_prm(prm, lambda _: {**found, "learned": [b"x" * 32]})
    assert researcher.call("GET", f"/api/evaluations/{unknown['id']}")["origin_known"]
    assert [one["kind"] for one in researcher.call("GET", news)["results"]] == ["not_evaluated"]
    researcher.call("POST", asked, body, status=201)
    check_prm(prm, lambda _: {**found, "learned": [bytes(trace.problem.text_hash)]})
    refused = researcher.call("POST", asked, body, status=409)
    assert (refused["code"], refused["problems"]) == ("prm_learned_from_set", 1)
    check_prm(prm, lambda _: found)
    assert not researcher.call("POST", asked, body, status=201)["origin_known"], "its meta.json says nothing any more"


@pytest.mark.parametrize("status", ["unchecked", "faulty", "retired"])
def test_a_prm_that_is_not_ready_is_neither_evaluated_nor_promoted(
    project: Project, researcher: Browser, status: str
) -> None:
    prm = make_prm(project=project, status=status)
    asked = {"evaluations": {"evaluation_set": make_set(project).pk}, "promotions": {}}
    for address, body in asked.items():
        refused = researcher.call(
            "POST", f"/api/projects/{project.slug}/{address}", {"prm": prm.pk, **body}, status=409
        )
        assert (refused["code"], refused["status"]) == ("prm_not_ready", status)
    assert not Evaluation.objects.exists()
    assert not Promotion.objects.exists()


def test_an_evaluation_that_is_not_finished_is_compared_with_nothing(project: Project, researcher: Browser) -> None:
    about = {"project": project, "evaluation_set": make_set(project), "scorer": make_prm("Tiny", project=project)}
    done, waiting = (Evaluation.objects.create(**about, status=status) for status in ("succeeded", "queued"))
    for left, right in ((done, waiting), (waiting, done)):
        path = f"/api/projects/{project.slug}/evaluations/compare?left={left.pk}&right={right.pk}"
        refused = researcher.call("GET", path, status=409)
        assert refused["code"] == "not_comparable"
        assert refused["detail"].startswith("The evaluation of Tiny is not finished.")


def test_home_says_why_the_selector_stands_against_nothing(project: Project, researcher: Browser) -> None:
    admin = make_member(project, "admin")
    address = f"/api/projects/{project.slug}/selector"
    first, second = make_prm("First", project=project), make_prm("Second", project=project)
    promote_prm(project, first, by=admin)
    told = researcher.call("GET", address)
    assert (told["why"], told["selector"]["name"], told["before"]) == ("first", "First", None)
    promote_prm(project, second, by=admin)
    told = researcher.call("GET", address)
    assert (told["why"], told["selector"]["name"], told["before"]["name"]) == ("not_compared", "Second", "First")
    assert told["differences"] == []


def test_a_prm_that_does_not_beat_its_baseline_is_marked_so_in_the_list_and_on_home(
    project: Project, researcher: Browser
) -> None:
    prm, other = make_prm("Plain", project=project), make_prm("Other", project=project)
    promote_prm(project, prm, by=make_member(project, "admin"))
    mended, told, unknown = make_set(project, "Mended"), make_set(project, "Told"), make_set(project, "Unknown")

    def evaluate(on: EvaluationSet, beats: bool | None, status: str = "succeeded") -> None:
        about = {"project": on.project, "evaluation_set": on, "scorer": prm, "status": status}
        Evaluation.objects.create(**about, report={"beats_baseline": beats})

    evaluate(mended, False)
    evaluate(mended, True)  # the newest counts
    evaluate(told, False)
    evaluate(told, None, "failed")
    evaluate(unknown, None)  # too few rated steps to tell
    evaluate(make_set(make_project(), "Foreign"), False)

    listed = researcher.call("GET", f"/api/projects/{project.slug}/prms")["results"]
    marks = {one["id"]: one["baseline_not_beaten"] for one in listed}
    assert marks == {prm.pk: ["Told"], other.pk: []}
    assert researcher.call("GET", f"/api/projects/{project.slug}/selector")["baseline_not_beaten"] == ["Told"]
