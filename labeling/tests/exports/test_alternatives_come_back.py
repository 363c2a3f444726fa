"""Rows of alternatives in neutral files of ours: whose they are, how many there may be, and what memory they take."""

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from labeling.actions import import_staging
from labeling.formats.prm800k_checks import COMPLETION_LIMIT
from labeling.models import StepLabel
from labeling.tests.factories import make_project
from labeling.tests.imports.files import faults_of, import_bytes, import_file, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)  # several imports
Json = dict[str, Any]
AT = "2026-11-02T09:30:00+00:00"


def row_of(steps: list[str], ratings: list[int | None], at: str | None = AT, **said: Any) -> Json:
    """The row of a label, or with `alternative_at_step` of one of its alternatives."""
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
