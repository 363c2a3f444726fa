"""Problems in both an evaluation set and a release for training: the draft and the card say so."""

from collections.abc import Sequence

import pytest

from labeling.actions import exports, releases
from labeling.formats.exports import EXPORT_FORMATS
from labeling.models import EvaluationItem, EvaluationSet, Problem, Project, Release, Trace, User
from labeling.tests import factories
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import give_label
from labeling.tests.factories import make_traces
from labeling.tests.releases.test_releases import admin, drafted, project, ran

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["admin", "project"]  # fixtures


def make_evaluation_set(project: Project, name: str, traces: Sequence[Trace]) -> None:
    size = {"traces": len(traces), "problems": len(traces), "erroneous": 0}
    about = {"source": "recorded", "set_hash": name, "grader_versions": []}
    made = EvaluationSet.objects.create(project=project, name=name, **size, **about)
    for trace in traces:
        EvaluationItem.objects.create(
            evaluation_set=made, trace=trace, problem=trace.problem, first_error=-1, outcome="correct"
        )


def test_problems_of_evaluation_sets_that_are_given_to_train_on_are_told_on_page_and_card(
    project: Project, admin: User
) -> None:
    give_label(project, [1, 0, -1])
    give_label(project, [1, 1, 1])
    traces = list(Trace.objects.filter(tasks__labels__status="submitted").distinct().order_by("pk"))
    other = make_traces(project, 1)[0]
    make_evaluation_set(project, "Golden | set", [*traces[:1], other])
    make_evaluation_set(project, "Apart", [other])
    draft = drafted(project, admin)
    assert draft.overlaps["measured"] == [{"name": "Golden | set", "problems": 1}]
    told = Browser(admin).call("GET", f"/api/releases/{draft.pk}")
    assert told["overlaps"]["measured"] == draft.overlaps["measured"]
    card = str(Browser(admin).call("GET", f"/api/releases/{draft.pk}/card"))
    assert "1 problem of the evaluation set Golden" in card
    assert "is in the training data of this release" in card
    Problem.objects.filter(pk=traces[0].problem_id).update(split="held_out")
    after = drafted(project, admin, name="Later")
    assert after.overlaps["measured"] == [], "held out, it is not there to train on"
    older = {name: one for name, one in draft.overlaps.items() if name != "measured"}
    Release.objects.filter(pk=draft.pk).update(overlaps=older)
    old = Browser(admin).call("GET", f"/api/releases/{draft.pk}")["overlaps"]
    assert old["measured"] == [], "of a release that was checked before"


@pytest.mark.parametrize("format", EXPORT_FORMATS)
def test_an_export_leaves_them_out_where_it_is_asked_to_and_says_how_many(
    project: Project, admin: User, format: str
) -> None:
    labeler = factories.make_member(project)
    give_label(project, [1, 0, -1], labeler)
    give_label(project, [1, 1, 1], labeler)
    Trace.objects.update(final_answer="2")  # outcomes are exported only for traces that have one
    one, _ = Trace.objects.filter(tasks__labels__status="submitted").distinct().order_by("pk")
    make_evaluation_set(project, "Golden", [one])
    make_evaluation_set(factories.make_project(), "Of others", factories.make_traces(project, 1))
    page = Browser(admin)
    base = f"/api/projects/{project.slug}/exports"
    asked = {"format": format, "switches": {"measured": "exclude"}}
    everything = page.call("POST", f"{base}/preview", {"format": format})["labels"]
    assert page.call("POST", f"{base}/preview", asked)["labels"] == everything - 1
    made = page.call("POST", base, asked, status=201)
    done = exports.run_export(made["id"])
    assert done is not None
    assert (done.status, done.error, done.labels_total) == ("succeeded", "", everything - 1)
    assert page.call("GET", f"/api/exports/{done.pk}")["left_out"]["measured"] == 1
    draft = ran(releases.create_release(project, by=admin, name="Sums", exports=[done.pk]))
    assert draft.overlaps["measured"] == []
