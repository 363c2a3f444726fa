"""Gold and screening check their labelers: they wait for no ruling, get none, and labels left out do not count."""

from uuid import uuid4

import pytest

from labeling.actions.label_changes import change_labels
from labeling.models import Label, Task
from labeling.tests.accounts import Browser
from labeling.tests.factories import join, make_member, make_user
from labeling.tests.gold.world import Labeler, plan_gold, project_with_gold

pytestmark = pytest.mark.django_db

RULING = {"ratings": [1, 1, 1], "finish_reason": "solution", "note": "I see none."}


def test_gold_and_screening_wait_for_no_ruling_and_get_none_while_questions_about_them_are_answered():
    project, round_ = project_with_gold(2, traces=2)
    ada = Labeler(project, make_member(project))
    plan_gold(round_, ada.person, [1, 2])
    reviewer = Browser(make_member(project, "researcher"))
    for _ in range(4):
        label = ada.claim()["label"]
        said = {"ratings": [1, -1, None], "finish_reason": "solution", "idempotency_key": str(uuid4())}
        confirmed = [{"code": "solution_with_error", "reason": "A slip."}]
        comment = [{"step": 0, "text": "Is this the unit?"}]
        body = {**said, "confirmations": confirmed, "comments": comment}
        ada.call("POST", f"/api/labels/{label['id']}/submit", body)
    counts = reviewer.call("GET", f"/api/projects/{project.slug}/reviews/counts")["kinds"]
    assert {kind: n for kind, n in counts.items() if n} == {"contradiction": 2, "comment": 4}
    for task in Task.objects.filter(round=round_):
        work = task.kind == "work"
        shown = reviewer.call("GET", f"/api/tasks/{task.pk}/review")
        assert (shown["can_settle"], shown["answer_known"]) == (work, not work)
        assert ("comment" in shown["waiting"], "contradiction" in shown["waiting"]) == (True, work)
        settled = reviewer.call("POST", f"/api/tasks/{task.pk}/settle", RULING, status=200 if work else 409)
        assert work or settled["code"] == "answer_known"
    assert set(Label.objects.filter(status="ruling").values_list("task__kind", flat=True)) == {"work"}


def test_a_label_that_was_left_out_says_nothing_of_how_far_labels_are_to_be_trusted():
    project, round_ = project_with_gold(3, traces=3)
    admin = make_user()
    join(project, admin, "admin")
    for right in (True, False):
        labeler = Labeler(project, make_member(project))
        plan_gold(round_, labeler.person, [0, 1, 2])
        for _ in range(4):
            labeler.answer(labeler.claim()["label"], right=right)
    page = Browser(admin)

    def trusted() -> list[tuple[float, int]]:
        home = page.call("GET", f"/api/projects/{project.slug}/home")
        report = page.call("GET", f"/api/rounds/{round_.pk}/figures")
        of_home = next(one["share"] for one in home["quality"] if one["name"] == "gold")
        of_round = next(one["share"] for one in report["trust"] if one["name"] == "gold")
        return [(one["value"], one["n"]) for one in (of_home, of_round)]

    assert trusted() == [(0.5, 6), (0.5, 6)]
    wrong = Label.objects.filter(labeler=labeler.person).values_list("pk", flat=True)
    change_labels(project, by=admin, kind="exclude", ids=list(wrong))
    assert trusted() == [(1.0, 3), (1.0, 3)]
    rows = page.call("GET", f"/api/projects/{project.slug}/labelers")["results"]
    assert [row["gold"]["n"] for row in rows] == [3, 3], "what somebody did is theirs"
