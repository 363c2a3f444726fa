"""Marks from rollouts are exported in the trainers' formats, with their counts, and our own import reads them."""

from pathlib import Path
from typing import Any

import pytest

from labeling.actions.labels import claim_next_label, submit_label
from labeling.formats.exports.math_shepherd import TAG
from labeling.models import Label, Project, Score, StepScorer, Trace
from labeling.sources.marks import Hits
from labeling.tests.exports.labeled import exported, traces_of
from labeling.tests.factories import make_member, make_project, make_submission, open_round
from labeling.tests.imports.files import import_bytes, lines, neutral_row
from labeling.tests.sources.world import count_rollouts, rollouts

pytestmark = pytest.mark.django_db(transaction=True)

STEPS = ["Two + two", "is - say - five", "so 5."]
REACHED: list[Hits | None] = [Hits(6, 8), Hits(8, 8), Hits(2, 8), Hits(0, 8)]


def make_counted(folder: Path, after: list[Hits | None]) -> tuple[Project, StepScorer]:
    """A trace that a person labeled, and a source with these counts after 0, 1, … of its steps."""
    project = make_project()
    [trace] = traces_of(project, folder, neutral_row(problem="2 + 2?", steps=STEPS))
    source = rollouts(project, n=8)
    count_rollouts(source, trace, after, own_answer=True)
    open_round(project)
    labeler = make_member(project)
    while (label := claim_next_label(labeler, project).label) is not None:
        submit_label(label, make_submission([1, -1, None]))
    return project, source


def marks_read_back(rows: list[dict[str, Any]], folder: Path) -> tuple[str, Score]:
    """Return the format that our import detects for these rows, and the one mark that it makes."""
    project = make_project()
    job = import_bytes(project, lines(*rows), folder)
    assert not Label.objects.filter(project=project).exists()
    assert Trace.objects.get(project=project).recorded_first_error is None, "a machine's mark is no recorded word"
    return job.format, Score.objects.get(trace__project=project)


def test_math_shepherds_row_has_a_plus_where_any_rollout_hit_and_reads_back_as_those_marks(tmp_path: Path) -> None:
    project, source = make_counted(tmp_path, REACHED)
    [row], export = exported(project, "mc_math_shepherd")
    assert row["label"] == "2 + 2? Step 1: Two + two +\nStep 2: is - say - five +\nStep 3: so 5. -"
    assert (
        row["input"] == row["label"].replace("two +\n", f"two {TAG}\n").replace("five +\n", f"five {TAG}\n")[:-1] + TAG
    )
    assert (row["hits"], row["n"], row["hits_before"], row["n_before"]) == ([8, 2, 0], [8, 8, 8], 6, 8)
    assert row["step_sources"] == ["rollouts", "rollouts", "own_answer"]
    assert (row["marks_by"], row["completer"], row["people_verdicts"]) == (source.name, "q7", [1])
    assert export.manifest["rows"] == 1
    found, score = marks_read_back([row], tmp_path)
    assert (found, score.steps) == ("math_shepherd", [1.0, 1.0, 0.0])


def test_the_row_of_qwens_style_has_the_shares_and_reads_back_as_those(tmp_path: Path) -> None:
    project, _ = make_counted(tmp_path, REACHED)
    [row], _ = exported(project, "mc_qwen")
    assert (row["question"], row["steps"]) == ("2 + 2?", STEPS)
    assert (row["soft_labels"], row["hard_labels"]) == ([1.0, 0.25, 0.0], [1, 1, 0])
    found, score = marks_read_back([row], tmp_path)
    assert (found, score.steps) == ("qwen", [1.0, 0.25, 0.0])
    kept = Trace.objects.get(pk=score.trace_id).metadata
    assert (kept["hits"], kept["n"]) == ([8, 2, 0], [8, 8, 8])


@pytest.mark.parametrize(
    "counted",
    [
        pytest.param([Hits(6, 8), None, Hits(2, 8), Hits(0, 8)], id="a prefix that a search did not ask"),
        pytest.param([Hits(6, 8), Hits(3, 3), Hits(2, 8), Hits(0, 8)], id="fewer than half of a prefix graded"),
        pytest.param([Hits(6, 8), Hits(0, 0), Hits(2, 8), Hits(0, 8)], id="none of a prefix graded"),
    ],
)
def test_a_trace_of_which_a_step_has_no_mark_gives_no_row(counted: list[Hits | None], tmp_path: Path) -> None:
    project, _ = make_counted(tmp_path, counted)
    assert exported(project, "mc_math_shepherd")[0] == exported(project, "mc_qwen")[0] == []


def test_each_source_has_a_row_of_its_own_and_no_other_machine_has_one(tmp_path: Path) -> None:
    project, source = make_counted(tmp_path, REACHED)
    trace = Trace.objects.get(project=project)
    other = rollouts(project, n=4, strategy="adaptive")
    count_rollouts(other, trace, [Hits(4, 4), Hits(4, 4), Hits(1, 4), Hits(0, 4)])
    judge = StepScorer.objects.create(project=project, name="judge", kind="judge", scale="hard", spec={})
    count_rollouts(judge, trace, REACHED)
    rows, _ = exported(project, "mc_qwen")
    assert [(row["marks_by"], row["soft_labels"][1]) for row in rows] == [(source.name, 0.25), (other.name, 0.25)]
    assert rows[1]["step_sources"] == ["rollouts"] * 3
