"""Exports of some subjects, and of tasks whose labelers agree or differ: counted beforehand, stated in the manifest."""

import itertools
from typing import Any
from uuid import uuid4

import pytest

from labeling import queries
from labeling.actions import labels
from labeling.actions.exports import run_export
from labeling.actions.label_changes import change_labels
from labeling.formats.exports import EXPORT_FORMATS
from labeling.models import Export, Label, Problem, Trace, User
from labeling.tests import factories
from labeling.tests.accounts import Browser

pytestmark = pytest.mark.django_db
RIGHT: list[int | None] = [1, 1, 1]
WRONG: list[int | None] = [1, -1, None]
# The labelers' verdicts for each trace; the last has only one labeler.
SAID = ((RIGHT, RIGHT), (RIGHT, WRONG), (WRONG, WRONG), (WRONG,))
SUBJECTS = ("Algebra", "Algebra", "Geometry", "Geometry")


class Data:
    """Four traces of two subjects, three of them labeled by two people."""

    def __init__(self) -> None:
        self.project = factories.make_project()
        self.people = [factories.make_member(self.project) for _ in range(2)]
        self.researcher = factories.make_member(self.project, "researcher")
        factories.make_round(self.project, len(SAID), overlap=2)
        self.traces = list(Trace.objects.filter(project=self.project).order_by("pk"))
        for trace, subject in zip(self.traces, SUBJECTS, strict=True):
            Problem.objects.filter(pk=trace.problem_id).update(subject=subject)
        for who, _ in itertools.product((0, 1), SAID):
            self.label(self.people[who], who)
        self.page = Browser(self.researcher)
        self.base = f"/api/projects/{self.project.slug}/exports"

    def label(self, labeler: User, who: int) -> None:
        """Submit the labeler's next label as in SAID, if it has a verdict of theirs."""
        label = labels.claim_next_label(labeler, self.project).label
        said = SAID[self.traces.index(label.task.trace)]
        if who < len(said):
            labels.submit_label(label, factories.make_submission(said[who], idempotency_key=uuid4()))
        else:
            labels.release_label(label, by=labeler)

    def told(self, format: str = "neutral", **asked: Any) -> int:
        count: int = self.page.call("POST", f"{self.base}/preview", {"format": format, **asked})["labels"]
        return count

    def places(self, switches: dict[str, str] | None = None, **filters: Any) -> list[int]:
        """Of the labels' traces."""
        known = {"surplus": "include", "gold": "include", **(switches or {})}
        ids = queries.exports.label_ids(self.project, filters, known)
        traces = Label.objects.filter(pk__in=list(ids)).values_list("task__trace", flat=True)
        return sorted([one.pk for one in self.traces].index(trace) for trace in traces)


@pytest.fixture
def data() -> Data:
    return Data()


def test_labels_are_of_tasks_whose_readers_agree_or_differ(data: Data) -> None:
    assert data.places() == [0, 0, 1, 1, 2, 2, 3]
    assert data.places(agreement="agrees") == [0, 0, 2, 2]
    assert data.places(agreement="differs") == [1, 1]
    assert data.places({"aggregate": "adjudicated"}, agreement="agrees") == [0, 2]
    assert data.places(subjects=["Geometry"], agreement="agrees") == [2, 2]


def test_a_label_that_is_left_out_makes_nobody_differ(data: Data) -> None:
    [odd] = Label.objects.filter(task__trace=data.traces[1], verdict=1)
    change_labels(data.project, by=data.researcher, kind="exclude", ids=[odd.pk])
    assert data.places(agreement="differs") == []
    assert data.places(agreement="agrees") == [0, 0, 2, 2], "one label agrees with nobody"


def test_how_many_labels_were_left_out_by_hand_is_told_before_and_in_the_manifest(data: Data) -> None:
    odd, other = Label.objects.filter(task__trace=data.traces[1])
    change_labels(data.project, by=data.researcher, kind="exclude", ids=[odd.pk, other.pk])
    for filters, excluded in (({}, 2), ({"labelers": [odd.labeler_id]}, 1), ({"subjects": ["Geometry"]}, 0)):
        asked = {"format": "neutral", "filters": filters}
        assert data.page.call("POST", f"{data.base}/preview", asked)["excluded"] == excluded
        done = run_export(data.page.call("POST", data.base, asked, status=201)["id"])
        assert done is not None
        assert done.manifest["left_out"].get("excluded", 0) == excluded
        assert data.page.get(f"/api/exports/{done.pk}").json()["left_out"] == done.manifest["left_out"]


@pytest.mark.parametrize("format", EXPORT_FORMATS)
def test_every_format_takes_both_filters(data: Data, format: str) -> None:
    switches = {}
    for switch in EXPORT_FORMATS[format].switches:
        if switch.name in ("surplus", "hasty", "imported") and "include" in switch.values and not switch.is_fixed:
            switches[switch.name] = "include"
    everything = data.told(format, switches=switches)
    one, other = (
        data.told(format, switches=switches, filters={"subjects": [name]}) for name in ("Algebra", "Geometry")
    )
    assert everything == one + other
    assert min(one, other) > 0
    agreed = data.told(format, switches=switches, filters={"agreement": "agrees"})
    differing = data.told(format, switches=switches, filters={"agreement": "differs"})
    assert 0 < agreed < everything
    assert agreed + differing <= everything


def test_the_count_before_is_the_count_after_and_the_manifest_names_the_filters(data: Data) -> None:
    filters = {"subjects": ["Algebra"], "agreement": "differs"}
    made = data.page.call("POST", data.base, {"format": "neutral", "filters": filters}, status=201)
    assert made["config"]["filters"] == filters
    done = run_export(made["id"])
    assert done is not None
    assert (done.status, done.labels_total) == ("succeeded", data.told(filters=filters))
    assert done.labels_total == 2
    assert {name: done.manifest["filters"][name] for name in filters} == filters
    assert Export.objects.count() == 1


def test_a_subject_that_nobody_has_and_another_word_are_refused(data: Data) -> None:
    said = data.page.call("POST", data.base, {"format": "neutral", "filters": {"subjects": ["Algebar"]}}, status=400)
    assert said["fields"]["filters"] == ["The project has no problem of the subject Algebar."]
    data.page.call("POST", data.base, {"format": "neutral", "filters": {"agreement": "alone"}}, status=400)
