"""Recorded ratings become labels of imported labelers: used for training and agreement, excluded by one switch."""

from pathlib import Path
from typing import Any

import pytest

from labeling import queries
from labeling.formats.training import resolved_switches, training_rows
from labeling.models import Label, Membership, Project, Round, Task, User
from labeling.queries.agreement import project_agreement
from labeling.queries.exports import label_ids, labels_to_write
from labeling.queries.labeler_figures import labeler_figures
from labeling.tests.factories import make_project, require_counted_steps
from labeling.tests.imports.files import (
    SHARED_DATA,
    faults_of,
    import_bytes,
    import_file,
    lines,
    neutral_row,
    prm800k_row,
)

pytestmark = pytest.mark.django_db(transaction=True)
STEPS = ["a", "b", "c"]


def row(number: int, **fields: Any) -> dict[str, Any]:
    return neutral_row(f"Problem {number}?", STEPS, **fields)


def said(project: Project) -> list[tuple[Any, ...]]:
    """(labeler, problem, finish reason, verdict, ratings) of every label, in the order of the file."""
    labels = Label.objects.filter(project=project).order_by("pk").select_related("labeler", "task__trace__problem")
    return [
        (
            label.labeler.external_id,
            label.task.trace.problem.text[-2],
            label.finish_reason,
            label.verdict,
            list(label.step_labels.order_by("step_index").values_list("rating", flat=True)),
        )
        for label in labels
    ]


def test_ratings_and_first_errors_become_finished_labels_of_the_named_labeler(tmp_path: Path) -> None:
    project = make_project()
    rows = [
        row(1, step_labels=[1, 0, -1]),
        row(2, first_error=1),
        row(3, first_error=-1),
        row(4, step_labels=[1, -1, -1], first_error=1),
        row(5, step_labels=[1, None, None]),  # does not say where it ends
        row(6),
        row(7, first_error=0, label={"labeler": "uuid-of-somebody"}),
    ]
    job = import_bytes(project, lines(*rows), tmp_path, labels_of="Mr-Ben people")
    assert job.report["labels"] == {"new": 5, "duplicate_in_file": 0, "known": 0}
    assert job.report["without_label"] == 2
    assert said(project) == [
        ("Mr-Ben people", "1", "found_error", 2, [1, 0, -1]),
        ("Mr-Ben people", "2", "found_error", 1, [1, -1]),
        ("Mr-Ben people", "3", "solution", -1, [1, 1, 1]),
        ("Mr-Ben people", "4", "found_error", 1, [1, -1]),
        ("uuid-of-somebody", "7", "found_error", 0, [-1]),
    ]
    person = User.objects.get(external_id="Mr-Ben people")
    assert (person.kind, person.is_active, person.has_usable_password()) == ("imported", False, False)
    assert Round.objects.get(project=project).imported
    again = import_bytes(project, lines(*rows), tmp_path, labels_of="Mr-Ben people")
    assert again.report["labels"] == {"new": 0, "duplicate_in_file": 0, "known": 5}
    import_bytes(project, lines(prm800k_row()), tmp_path)  # rates an alternative too
    require_counted_steps()


def test_traces_that_are_here_already_get_their_labels_when_the_file_comes_again(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(row(1, first_error=1)), tmp_path)
    job = import_bytes(project, lines(row(1, first_error=1)), tmp_path, labels_of="Experts")
    assert (job.report["traces"]["known"], job.report["labels"]["new"]) == (1, 1)


def test_second_opinions_are_labels_of_numbered_labelers_and_agree_or_not(tmp_path: Path) -> None:
    project = make_project()
    rows = [
        row(1, first_error=1),
        row(2, first_error=0),
        row(1, first_error=2),
        row(1, first_error=1),
        row(2, first_error=1),
    ]
    job = import_bytes(project, lines(*rows), tmp_path, labels_of="Teachers")
    assert job.report["labels"] == {"new": 4, "duplicate_in_file": 1, "known": 0}
    assert [(who, of, verdict) for who, of, _, verdict, _ in said(project)] == [
        ("Teachers", "1", 1),
        ("Teachers", "2", 0),
        ("Teachers #2", "1", 2),
        ("Teachers #2", "2", 1),
    ]
    assert Task.objects.filter(round__project=project).count() == 2
    assert project_agreement(project)["traces"] == 2
    assert labeler_figures(project)["results"] == [], "figures of people are of people"
    assert not Membership.objects.filter(project=project, is_active=True).exists()


def test_ratings_that_contradict_the_first_error_make_no_label(tmp_path: Path) -> None:
    rows = [row(1, step_labels=[-1, 1, -1], first_error=2), row(2, step_labels=[1, 1, None], first_error=1)]
    job = import_bytes(make_project(), lines(*rows), tmp_path, labels_of="X")
    kind = "ratings_contradict_first_error"
    assert faults_of(job) == [(kind, 1, "step_labels[0]"), (kind, 2, "step_labels[1]")]
    assert import_bytes(make_project(), lines(*rows), tmp_path).report["imported"], "without labels both are kept"


def test_the_order_of_repeated_labels_is_that_of_the_file(tmp_path: Path) -> None:
    project = make_project()
    rows = [row(1, first_error=1), row(1, first_error=2), row(2, first_error=0)]
    rows = [one | {"labeler": "A"} for one in rows]
    import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    assert Round.objects.filter(project=project).count() == 2
    assert [(of, verdict) for _, of, _, verdict, _ in said(project)] == [("1", 1), ("1", 2), ("2", 0)]


def test_a_project_of_imported_labels_alone_has_something_to_learn_and_one_switch_leaves_it_out() -> None:
    file = SHARED_DATA / "prm800k_val.jsonl"
    if not file.exists():
        pytest.skip("needs the shared data (STEPMARK_SHARED_DATA)")
    project = make_project()
    job = import_file(project, file, labels_of="PRM800K labelers")
    assert job.report["labels"]["new"] > 550
    rounds = [round_.pk for round_ in queries.training.trainable_rounds(project)]
    switches = resolved_switches({})
    found = queries.training_examples.preview(project, rounds, switches)
    assert found["learned"] > 400
    assert found["wrong_steps"] > 100
    ids = queries.training_examples.label_ids(project, rounds, switches)
    learned = list(training_rows(labels_to_write(project, ids, False), switches))
    assert len(learned) == found["learned"]
    none = resolved_switches({"imported": "exclude"})
    assert queries.training_examples.preview(project, rounds, none)["learned"] == 0
    asked = {"gold": "include", "surplus": "include"}
    assert len(label_ids(project, {}, {**asked, "imported": "include"})) == job.report["labels"]["new"]
    assert len(label_ids(project, {}, {**asked, "imported": "exclude"})) == 0
