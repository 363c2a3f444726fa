"""Decisive errors of agent runs: as gold, by a labeler, in a review and in its ruling."""

from typing import Any

import pytest

from labeling.actions import rounds
from labeling.actions.gold import change_gold, make_gold
from labeling.errors import InvalidFields
from labeling.models import Gold, GoldResult, Label, Membership, Project, Task, Trace
from labeling.quality.consensus import AskedOverlap
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission, make_traces
from labeling.tests.gold.world import Labeler, plan_gold
from labeling.tests.imports.files import import_bytes, lines

pytestmark = pytest.mark.django_db(transaction=True)
WRONG_TWICE = [-1, 1, -1]


def run(task: str) -> dict[str, Any]:
    """A chat in which the agent speaks three times, first with a call."""
    call = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    said: list[dict[str, Any]] = [
        {"role": role, "content": f"{task} {role} {turn}"} for turn in range(3) for role in ("user", "assistant")
    ]
    said[1] |= {"tool_calls": [call]}
    return {"messages": said}


def submit(labeler: Labeler, label: dict[str, Any], decisive: int | None) -> None:
    sent = make_submission(WRONG_TWICE).as_sent() | {"finish_reason": "found_error"}
    marks = None if decisive is None else {"decisive_error": decisive, "recovered_at": 1}
    labeler.call("POST", f"/api/labels/{label['id']}/submit", sent | {"run_marks": marks})


@pytest.fixture
def researcher(project: Project) -> Any:
    return Browser(make_member(project, Membership.Role.ADMIN))


@pytest.fixture
def project() -> Project:
    return make_project(gold_per_round=1)


def test_gold_accepts_decisive_errors_and_holds_those_to_them_who_name_one(project, researcher, tmp_path):
    import_bytes(project, lines(run("work"), run("gold")), tmp_path)
    trace = Trace.objects.latest("pk")
    asked = {"acceptable": [0], "acceptable_decisive": [2]}
    item = researcher.call("POST", f"/api/traces/{trace.pk}/gold", asked, status=201)
    assert (item["acceptable_decisive"], item["is_run"]) == ([2], True)
    round_ = rounds.open_round(project, by=None, overlap=AskedOverlap(3))
    for decisive, passed in ((2, True), (0, False), (None, True)):
        labeler = Labeler(project, make_member(project))
        plan_gold(round_, labeler.person, [0])
        submit(labeler, labeler.claim()["label"], decisive)
        result = GoldResult.objects.get(labeler=labeler.person)
        assert (result.verdict, result.decisive, result.passed) == (0, decisive, passed)
    tally = researcher.call("GET", f"/api/gold/{item['id']}")["tally"]
    assert (tally["n"], tally["passed"]) == (3, 2)
    assert (tally["decisive"]["n"], tally["decisive"]["value"]) == (2, 0.5)
    assert 0 < tally["decisive"]["low"] < 0.5 < tally["decisive"]["high"] < 1
    people = researcher.call("GET", f"/api/projects/{project.slug}/labeler_quality")["labelers"]
    assert sorted((one["decisive"]["n"], one["decisive"]["value"]) for one in people if one["decisive"]["n"]) == [
        (1, 0.0),
        (1, 1.0),
    ]
    change_gold(Gold.objects.get(), by=None, acceptable_decisive=[0, 2])
    assert set(GoldResult.objects.values_list("passed", flat=True)) == {True}
    change_gold(Gold.objects.get(), by=None, acceptable_decisive=[])
    assert researcher.call("GET", f"/api/gold/{item['id']}")["tally"]["decisive"]["n"] == 0


def test_only_a_run_has_decisive_errors_and_only_at_its_own_steps(project, tmp_path):
    [plain] = make_traces(project)
    with pytest.raises(InvalidFields):
        make_gold(plain, acceptable=[0], acceptable_decisive=[0], by=None)
    import_bytes(project, lines(run("gold")), tmp_path)
    with pytest.raises(InvalidFields):
        make_gold(Trace.objects.latest("pk"), acceptable=[0], acceptable_decisive=[3], by=None)
    assert not Gold.objects.exists()


def test_labels_with_different_decisive_errors_wait_for_a_reviewer_who_rules(project, researcher, tmp_path):
    import_bytes(project, lines(run("work")), tmp_path)
    rounds.open_round(project, by=None, overlap=AskedOverlap(2))
    for decisive in (0, 2):
        labeler = Labeler(project, make_member(project))
        submit(labeler, labeler.claim()["label"], decisive)
    assert set(Label.objects.values_list("verdict", flat=True)) == {0}, "they agree on the first error"
    task = Task.objects.get()
    found = researcher.call("GET", f"/api/tasks/{task.pk}/review")
    assert found["waiting"] == ["disagreement"]
    assert [label["run_marks"]["decisive_error"] for label in found["task"]["labels"]] == [0, 2]
    ruling = {"ratings": WRONG_TWICE, "finish_reason": "found_error"}
    wrong = ruling | {"run_marks": {"decisive_error": 1}}
    answer = researcher.call("POST", f"/api/tasks/{task.pk}/settle", wrong, status=422)
    assert answer["missing"] == [{"code": "decisive_is_no_error", "step": 1}]
    settled = researcher.call("POST", f"/api/tasks/{task.pk}/settle", ruling | {"run_marks": {"decisive_error": 2}})
    assert settled["waiting"] == []
    assert Label.objects.get(status="ruling").run_marks["decisive_error"] == 2
