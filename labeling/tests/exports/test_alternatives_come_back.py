"""Rows of alternatives in our own neutral files: whose they are, how many there may be, and how much memory they
take.
"""

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from labeling.actions import import_staging, rounds
from labeling.actions.labels import claim_next_label, submit_label
from labeling.formats.prm800k_checks import COMPLETION_LIMIT
from labeling.models import Completion, Project, StepLabel
from labeling.tests.exports.labeled import exported, traces_of
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.imports.files import faults_of, import_bytes, import_file, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)  # several imports
Json = dict[str, Any]
AT = "2026-11-02T09:30:00+00:00"


def row_of(steps: list[str], ratings: list[int | None], at: str | None = AT, **said: Any) -> Json:
    """Return the row of a label, or with `alternative_at_step` that of one of its alternatives."""
    label = {"labeler": "ada", "finish_reason": "found_error", "submitted_at": at, "alternative_at_step": None, **said}
    first = ratings.index(-1) if -1 in ratings else None
    return neutral_row(steps=steps, label=label, first_error=first, step_labels=ratings)


def alternative(text: str, at: str | None = AT, rating: int = 1) -> Json:
    return row_of(["a", text], [1, rating], at, alternative_at_step=1)


def test_alternatives_count_into_the_batch_that_is_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_staging, "BATCH_BYTES", 500_000)
    count, length, file = 400, 50_000, tmp_path / "rows.jsonl"
    texts = (alternative(f"{number} " + "x" * length) for number in range(count))
    file.write_bytes(lines(row_of(["a", "b"], [1, -1]), *texts))
    project = make_project()
    tracemalloc.start()
    try:
        job = import_file(project, file, labels_of="X")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert job.report["labels"]["new"] == 1
    places = StepLabel.objects.filter(label__project=project, completion__isnull=False).values_list("position")
    assert sorted(places) == [(place,) for place in range(1, count + 1)]
    assert peak < count * length / 2


def test_a_step_has_no_more_alternatives_than_a_label_can_hold(tmp_path: Path) -> None:
    texts = [alternative(str(number)) for number in range(COMPLETION_LIMIT + 2)]
    project, rows = make_project(), lines(row_of(["a", "b"], [1, -1]), *texts)
    place = "label.alternative_at_step"
    refused = [("too_many_completions", COMPLETION_LIMIT + line, place) for line in (2, 3)]
    assert faults_of(import_bytes(project, rows, tmp_path, labels_of="X")) == refused
    job = import_bytes(project, rows, tmp_path, labels_of="X", skip_faulty=True)
    assert (faults_of(job), job.report["traces"]["new"], job.report["labels"]["new"]) == (refused, 1, 1)
    rated = StepLabel.objects.filter(label__project=project, completion__isnull=False)
    assert rated.count() == COMPLETION_LIMIT


def test_an_alternative_without_a_time_joins_no_label(tmp_path: Path) -> None:
    project = make_project()
    rows = lines(row_of(["a", "b"], [1, -1], at=None), alternative("c", at=None))
    job = import_bytes(project, rows, tmp_path, labels_of="X")
    assert (job.report["labels"]["new"], job.report["without_label"], job.report["traces"]["new"]) == (1, 1, 2)
    assert not StepLabel.objects.filter(label__project=project, completion__isnull=False).exists()


def label_with_an_alternative(project: Project, ratings: list[int | None]) -> None:
    """A label that also rated another text for the last step as wrong."""
    label = claim_next_label(make_member(project), project).label
    assert label is not None
    text = Completion.objects.create(trace=label.task.trace, step_index=len(ratings) - 1, text="Other.")
    rated = [{"completion": text.pk, "rating": -1, "flagged": None}]
    submit_label(label, make_submission(ratings, alternatives=rated))


@pytest.mark.parametrize(
    ("protocol", "ratings", "switch"), [("first_error", [1, 0, -1], "negative"), ("every_step", [1, -1, -1], "keep3")]
)
def test_alternatives_come_back_after_a_path_that_goes_wrong_before_them(
    tmp_path: Path, protocol: str, ratings: list[int | None], switch: str
) -> None:
    project, elsewhere = make_project(), make_project()
    traces_of(project, tmp_path, neutral_row(steps=["a", "b", "c"]))
    rounds.open_round(project, by=None, protocol=protocol)
    label_with_an_alternative(project, ratings)
    rows, _ = exported(project, "neutral", switches={"alternatives": "rows", "neutral": switch})
    assert len(rows) == 2
    job = import_bytes(elsewhere, lines(*rows), tmp_path, labels_of="X")
    assert (faults_of(job), job.report["labels"]["new"], job.report["without_label"]) == ([], 1, 0)
    [other] = StepLabel.objects.filter(label__project=elsewhere, completion__isnull=False)
    assert other.completion is not None
    assert (other.rating, other.completion.text) == (-1, "Other.")
