"""AgentProcessBench's human labels, submitted again through the API, and its own figures computed from the export."""

from typing import Any

import pytest

from labeling.actions import rounds
from labeling.models import Project, Trace
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.gold.world import Labeler, trace_of
from labeling.tests.imports.files import SHARED_DATA, import_bytes

pytestmark = pytest.mark.django_db(transaction=True)
ROWS = SHARED_DATA / "agents/agentprocessbench/hotpotqa.even_questions.jsonl"
RUNS = 40


def figures(truth: dict[int, list[int]], said: dict[int, list[int]]) -> tuple[int, int, int, int]:
    """Return (steps that match, steps, runs whose first error matches, runs): the counts for step accuracy, over all
    steps, and for first-error accuracy, over all runs, including runs without an error.
    """
    steps = [one == other for run in truth for one, other in zip(truth[run], said[run], strict=True)]
    firsts = [first_error(truth[run]) == first_error(said[run]) for run in truth]
    return steps.count(True), len(steps), firsts.count(True), len(firsts)


def first_error(ratings: list[int]) -> int:
    """Return the place of the first -1, or -1 if there is none."""
    return ratings.index(-1) if -1 in ratings else -1


def misread(run: int, ratings: list[int]) -> list[int]:
    """Return ratings of an annotator who mistakes every third run's first step for wrong, and every fourth's last for
    neutral.
    """
    found = list(ratings)
    if run % 3 == 0:
        found[0] = -1
    if run % 4 == 0:
        found[-1] = 0
    return found


def replay(project: Project, truth: dict[int, list[int]], misreads: bool) -> dict[int, list[int]]:
    """Have one person label every run through the API; return each run's export row."""
    labeler = Labeler(project, make_member(project))
    while label := labeler.claim()["label"]:
        run = trace_of(label).pk
        ratings: list[Any] = misread(run, truth[run]) if misreads else truth[run]
        body = make_submission(ratings).as_sent()
        labeler.call("POST", f"/api/labels/{label['id']}/submit", body)
    rows, _ = exported(project, "run_process", switches={"imported": "exclude"})
    ids = {str(trace.metadata["total_index"]): trace.pk for trace in Trace.objects.filter(project=project)}
    neutral, _ = exported(project, "neutral", switches={"imported": "exclude"})
    assert [[one for one in row["labels"] if one is not None] for row in rows] == [
        row["step_labels"] for row in neutral
    ]
    return {ids[str(row["total_index"])]: row["step_labels"] for row in neutral}


@pytest.mark.skipif(not ROWS.is_file(), reason="AgentProcessBench is not here (STEPMARK_SHARED_DATA).")
def test_replayed_human_labels_give_the_sets_own_step_and_first_error_accuracy(tmp_path: Any) -> None:
    data = b"".join(ROWS.read_bytes().splitlines(keepends=True)[:RUNS])
    for misreads in (False, True):
        project = make_project()
        import_bytes(project, data, tmp_path)
        truth = dict(Trace.objects.filter(project=project).order_by("pk").values_list("pk", "recorded_ratings"))
        rounds.open_round(project, by=None)
        said = replay(project, truth, misreads)
        expected = {run: misread(run, ratings) if misreads else ratings for run, ratings in truth.items()}
        found = figures(truth, said)
        steps = found[1]
        assert found == figures(truth, expected)
        assert (found == (steps, steps, RUNS, RUNS)) is not misreads
