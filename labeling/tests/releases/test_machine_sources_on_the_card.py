"""A release's card compares machines with the people whose labels it contains, and claims none of their marks."""

import pytest

from labeling.actions import exports, releases
from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.release_folder import card_of
from labeling.formats.release_card import readme
from labeling.models import Project, Release
from labeling.tests.factories import make_member, make_project, make_submission, make_traces, open_round
from labeling.tests.sources.test_audits import make_marks

pytestmark = pytest.mark.django_db(transaction=True)


def drafted(project: Project) -> Release:
    admin = make_member(project, "admin")
    export = exports.create_export(project, by=None, format="neutral")
    draft = releases.create_release(project, by=admin, name="Sums", exports=[export.pk])
    done = releases.run_release(draft.pk)
    assert done is not None
    assert done.status == "succeeded", done.error
    return done


def label_everything(project: Project) -> None:
    """No step is wrong, as people see it."""
    open_round(project)
    labeler = make_member(project)
    while (label := claim_next_label(labeler, project).label) is not None:
        submit_label(label, make_submission([1, 1, 1]))


def test_the_card_says_how_often_a_source_names_peoples_first_error_and_on_what() -> None:
    project = make_project()
    judge, _traces = make_marks(project, 10)  # it sees an error in every other trace
    label_everything(project)
    release = drafted(project)
    [told] = release.facts["machine_sources"]
    assert (told["name"], told["kind"], told["truth"], told["compared"], told["silent"]) == (
        judge.name,
        "judge",
        "labels",
        10,
        0,
    )
    assert told["same_first_error"]["value"] == pytest.approx(0.5)
    assert told["same_first_error"]["low"] < 0.5 < told["same_first_error"]["high"]
    assert release.facts["sources"] == {"person": 10}  # none of the labels is the machine's
    assert "| judge | judge | what people labeled | 0.500 |" in readme(card_of(release))


def test_a_project_without_machine_labels_says_so() -> None:
    project = make_project()
    make_marks(make_project(), 3)  # those of a neighbour
    make_traces(project, 2)
    label_everything(project)
    release = drafted(project)
    assert release.facts["machine_sources"] == []
    assert "No source of machine labels marked these traces." in readme(card_of(release))


def test_a_name_of_an_import_turns_nothing_around_on_the_card() -> None:
    project = make_project()
    judge, _traces = make_marks(project, 2)
    judge.name = "judge\u202e | <b>"
    judge.save()
    label_everything(project)
    card = readme(card_of(drafted(project)))
    assert ("\u202e" in card, "| judgeU+202E \\| \\<b\\> |" in card) == (False, True)
