"""Rollout counts exported as rows of process advantages: next to people's ratings, and never called correctness."""

from pathlib import Path

import pytest

from labeling.actions.labels import claim_next_label, submit_label
from labeling.models import Project, Score, StepScorer, Trace
from labeling.sources.marks import Hits
from labeling.tests.exports.labeled import exported, traces_of
from labeling.tests.factories import make_member, make_project, make_submission, open_round
from labeling.tests.imports.files import neutral_row
from labeling.tests.sources.world import count_rollouts, rollouts

pytestmark = pytest.mark.django_db(transaction=True)


def make_counted(tmp_path: Path) -> tuple[Project, StepScorer, Trace]:
    project = make_project()
    first, _other = traces_of(
        project,
        tmp_path,
        neutral_row(problem="2 + 2?", steps=["Two and two", "is five", "so 5."]),
        neutral_row(problem="3 + 3?", steps=["Six"]),
    )
    source = rollouts(project, n=8)
    count_rollouts(source, first, [Hits(6, 8), Hits(8, 8), Hits(2, 8), Hits(0, 8)], own_answer=True)
    open_round(project)
    labeler = make_member(project)
    while (label := claim_next_label(labeler, project).label) is not None:
        submit_label(label, make_submission([1, -1, None] if label.task.trace_id == first.pk else [1]))
    return project, source, first


def test_a_row_a_step_holds_counts_the_chance_on_both_sides_and_what_people_said(tmp_path: Path) -> None:
    project, source, first = make_counted(tmp_path)
    rows, export = exported(project, "process_advantages")
    assert [row["step"] for row in rows] == first.steps  # the other trace has no rollouts, and gives no row
    assert [row["prefix"] for row in rows] == [[], ["Two and two"], ["Two and two", "is five"]]
    assert [(row["q_before"], row["q_after"], row["advantage"]) for row in rows] == [
        (0.75, 1.0, 0.25),
        (1.0, 0.25, -0.75),
        (0.25, 0.0, -0.25),
    ]
    kept = Score.objects.get(scorer=source, trace=first).evidence
    assert kept is not None
    assert [row["advantage"] for row in rows] == [one["difference"] for one in kept["progress"]]
    assert [(row["hits_before"], row["n_before"], row["hits_after"], row["n_after"]) for row in rows][1] == (8, 8, 2, 8)
    assert [row["ratings"] for row in rows] == [[1], [-1], []]
    assert [row["after_is_own_answer"] for row in rows] == [False, False, True]
    assert {(row["prover"], row["completer"], row["seed"], row["source"]) for row in rows} == {
        ("q7", source.fingerprint, 0, source.name)
    }
    assert export.manifest["rows"] == 3


def test_a_step_that_a_search_did_not_count_on_both_sides_has_no_row(tmp_path: Path) -> None:
    project, source, first = make_counted(tmp_path)
    Score.objects.all().delete()
    count_rollouts(source, first, [Hits(6, 8), None, Hits(2, 8), Hits(0, 0)])
    assert exported(project, "process_advantages")[0] == []


def test_each_source_of_rollouts_has_rows_of_its_own_and_other_machines_have_none(tmp_path: Path) -> None:
    project, source, first = make_counted(tmp_path)
    other = rollouts(project, n=4, strategy="bisect")
    count_rollouts(other, first, [Hits(4, 4), None, Hits(1, 4), Hits(0, 4)])
    judge = StepScorer.objects.create(project=project, name="judge", kind="judge", scale="hard", spec={})
    count_rollouts(judge, first, [Hits(1, 1)] * 4)
    rows, _ = exported(project, "process_advantages")
    assert [(row["source"], row["step"]) for row in rows] == [
        *((source.name, step) for step in first.steps),
        (other.name, "so 5."),
    ]
