"""Nobody who labels a trace can look anything up about it, not even researchers; what is settled in a round with gold
is shown when it is closed.
"""

from datetime import timedelta

import pytest
from django.db.models import F

from labeling.actions import labels, rounds
from labeling.errors import ReviseTooLate
from labeling.models import Gold, Label, StepLabel, Task
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.gold.world import Labeler, make_gold_items, plan_gold, project_with_gold
from labeling.tests.selection.pools import give_scores, make_prm
from labeling.tests.settling.disagreeing import say
from labeling.tests.settling.label_audits import labeled, made, reviewed

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kind", ["gold", "work"])
def test_who_labels_a_trace_looks_nothing_up_about_it_until_the_label_is_sent(kind):
    project, round_ = project_with_gold(1, traces=2)
    rita = Labeler(project, make_member(project, "admin"))
    plan_gold(round_, rita.person, [1 if kind == "gold" else 2])
    held = rita.claim(prefetch=True)
    ahead = Label.objects.get(pk=held["next"]["id"])
    assert ahead.task.kind == kind
    gold = Gold.objects.get()
    about = f"/api/tasks/{ahead.task_id}"
    trace = ahead.task.trace
    closed = [about, f"{about}/review", f"/api/traces/{trace.pk}", f"/api/problems/{trace.problem_id}/tree"]
    if kind == "gold":
        closed.append(f"/api/gold/{gold.pk}")
    for path in closed:
        refused = rita.call("GET", path, status=409)
        assert (refused["code"], "Submit or release" in refused["detail"]) == ("label_held", True)
    rita.call("POST", f"{about}/dismiss", {"kinds": ["comment"], "reason": "No."}, status=409)
    base = f"/api/projects/{project.slug}"
    assert len(rita.call("GET", f"{base}/tasks")["results"]) == 1, "lists leave out what they hold, gold or not"
    assert len(rita.call("GET", f"{base}/gold")["results"]) == (0 if kind == "gold" else 1)
    reviewer = Labeler(project, make_member(project, "researcher"))
    for path in closed:
        reviewer.call("GET", path)
    for label in (held["label"], held["next"]):
        rita.answer(label, right=True)
    for path in closed:
        rita.call("GET", path)
    assert len(rita.call("GET", f"{base}/tasks")["results"]) == 3


@pytest.mark.parametrize("gold", [0, 1])
def test_a_round_with_gold_tells_its_labelers_what_is_settled_when_it_is_closed(gold):
    project = make_project(gold_per_round=gold, reveal_scores=True)
    make_gold_items(project, gold)
    round_ = make_round(project, 2, overlap=2, overlap_most=3, overlap_needed=2)
    ada, bob = (Labeler(project, make_member(project)) for _ in range(2))
    for person in (ada, bob):
        while (label := person.claim()["label"]) is not None:
            person.submit(label, [1, 1, 1])
    first, second = Label.objects.filter(labeler=ada.person, task__kind="work")
    give_scores(make_prm(), [(label.task.trace, -1.0) for label in (first, second)])
    assert set(Task.objects.filter(round=round_, kind="work").values_list("settlement", flat=True)) == {"agreed"}
    Task.objects.exclude(settled_at=None).update(settled_at=F("settled_at") - timedelta(minutes=2))

    def told() -> list[tuple[bool, bool, bool]]:
        rows = ada.call("GET", f"/api/projects/{project.slug}/my_labels")["results"]
        return [(row["can_compare"], row["can_reveal"], row["can_revise_until"] is not None) for row in rows]

    comparison = f"/api/labels/{first.pk}/comparison"
    if gold:
        assert told() == [(False, False, True)] * 3
        assert ada.call("GET", comparison, status=409)["code"] == "not_settled"
        assert "once it is closed" in ada.call("POST", f"/api/labels/{first.pk}/reveal", status=403)["detail"]
        labels.revise_label(second, make_submission([1, -1, None]))
        task = Task.objects.get(pk=second.task_id)
        assert (task.settlement, task.labels_wanted) == ("", 1), "whoever revises opens the question again"
        rounds.close_round(round_, by=None)
    else:
        with pytest.raises(ReviseTooLate):
            labels.revise_label(second, make_submission())
    shown = ada.call("GET", comparison)
    assert (shown["settlement"], len(shown["labels"])) == ("agreed", 2)
    assert (True, True, False) in told()


def test_lists_of_what_others_did_leave_out_what_one_is_labeling():
    project, _, prm, found = labeled([1, -1, None], [1, 1, 1], overlap=4)
    ada, bob, rita = found[0].labeler, make_member(project), Labeler(project, make_member(project, "researcher"))
    say(bob, project, [1, 1, 1])
    say(bob, project, [1, 1, 1])
    StepLabel.objects.filter(label=found[0]).update(flagged=True)
    audit = made(project, prm)
    reviewer = Browser(make_member(project, "researcher"))
    assert reviewed(reviewer, audit, lambda item: [-1, None, None]) == 2
    held = [rita.claim(prefetch=True)[name]["id"] for name in ("label", "next")]
    other = Labeler(project, make_member(project, "researcher"))
    other.claim()
    reviewer.call("POST", f"/api/label_audits/{audit.pk}/finish")
    base = f"/api/projects/{project.slug}"
    lists = {
        "leases": lambda page: [row["task_id"] is not None for row in page.call("GET", f"{base}/leases")["results"]],
        "reviews": lambda page: page.call("GET", f"{base}/reviews")["results"],
        "disputed": lambda page: page.call("GET", f"{base}/agreement/disputed?one={ada.pk}&other={bob.pk}")["results"],
        "audit": lambda page: page.call("GET", f"/api/label_audits/{audit.pk}")["report"]["corrected"],
        "rows": lambda page: page.get(f"/api/label_audits/{audit.pk}/report.csv").content.splitlines()[1:],
    }
    seen = {"leases": 3, "reviews": 1, "disputed": 1, "audit": 2, "rows": 2}
    assert {name: len(of(reviewer)) for name, of in lists.items()} == seen
    assert {name: of(rita.page) for name, of in lists.items() if name != "leases"} == dict.fromkeys(
        ("reviews", "disputed", "audit", "rows"), []
    )
    assert lists["leases"](rita.page) == [False, False], "their own, unnamed; not who else has the same trace"
    for label in held:
        rita.call("POST", f"/api/labels/{label}/release", {})
    assert {name: len(of(rita.page)) for name, of in lists.items()} == {**seen, "leases": 1}
