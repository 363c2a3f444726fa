"""Problems that an evaluation set measures on and a release gives to train on: the draft and the card say so."""

import pytest

from labeling.models import EvaluationItem, EvaluationSet, Problem, Project, Release, Trace, User
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import give_label
from labeling.tests.factories import make_traces
from labeling.tests.releases.test_releases import admin, drafted, project

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["admin", "project"]  # fixtures


def test_problems_of_evaluation_sets_that_are_given_to_train_on_are_told_on_page_and_card(
    project: Project, admin: User
) -> None:
    give_label(project, [1, 0, -1])
    give_label(project, [1, 1, 1])
    traces = list(Trace.objects.filter(tasks__labels__status="submitted").distinct().order_by("pk"))
    other = make_traces(project, 1)[0]
    for name, of_set in (("Golden | set", [*traces[:1], other]), ("Apart", [other])):
        size = {"traces": len(of_set), "problems": len(of_set), "erroneous": 0}
        about = {"source": "recorded", "set_hash": name, "grader_versions": []}
        made = EvaluationSet.objects.create(project=project, name=name, **size, **about)
        for trace in of_set:
            EvaluationItem.objects.create(
                evaluation_set=made, trace=trace, problem=trace.problem, first_error=-1, outcome="correct"
            )
    draft = drafted(project, admin)
    assert draft.overlaps["measured"] == [{"name": "Golden | set", "problems": 1}]
    told = Browser(admin).call("GET", f"/api/releases/{draft.pk}")
    assert told["overlaps"]["measured"] == draft.overlaps["measured"]
    card = str(Browser(admin).call("GET", f"/api/releases/{draft.pk}/card"))
    assert "1 problem of the evaluation set Golden" in card
    assert "is in what this release gives to train on" in card
    Problem.objects.filter(pk=traces[0].problem_id).update(split="held_out")
    after = drafted(project, admin, name="Later")
    assert after.overlaps["measured"] == [], "held out, it is not there to train on"
    older = {name: one for name, one in draft.overlaps.items() if name != "measured"}
    Release.objects.filter(pk=draft.pk).update(overlaps=older)
    old = Browser(admin).call("GET", f"/api/releases/{draft.pk}")["overlaps"]
    assert old["measured"] == [], "of a release that was checked before"
