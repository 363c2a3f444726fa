"""The file of an import goes when the import is over, however it ends; a sweep removes what a dead worker left."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from labeling.actions import imported_scores, imports, jobs
from labeling.actions.import_files import forget_old_uploads
from labeling.models import ImportJob, Project, ScoreImport
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import lines, neutral_row
from labeling.tests.storage.test_bucket import bucket, objects

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["bucket"]  # a fixture
Kind = tuple[type[Any], str, dict[str, Any], Callable[[int], Any]]
KINDS = [
    pytest.param((ImportJob, "imports", {}, imports.run_import), id="import"),
    pytest.param(
        (ScoreImport, "score_imports", {"name": "Cluster"}, imported_scores.run_score_import), id="import of scores"
    ),
]


@pytest.fixture
def project() -> Project:
    return make_project("algebra")


@pytest.fixture
def researcher(project: Project) -> Browser:
    return Browser(make_member(project, "researcher"))


def uploaded(researcher: Browser, kind: Kind) -> tuple[Any, Path]:
    """A queued import of this kind, and its file."""
    model, address, fields, _ = kind
    file = SimpleUploadedFile("rows.jsonl", lines(neutral_row()))
    answer = researcher.upload(f"/api/projects/algebra/{address}", {"file": file, **fields})
    assert answer.status_code == 201, answer.content
    job = model.objects.get(pk=answer.json()["id"])
    path = settings.DATA_DIR / job.path
    assert path.exists()
    return job, path


@pytest.mark.parametrize("kind", KINDS)
def test_a_queued_import_that_is_cancelled_keeps_nothing_of_its_file(researcher: Browser, kind: Kind) -> None:
    _, address, _, run = kind
    job, path = uploaded(researcher, kind)
    assert researcher.call("POST", f"/api/{address}/{job.pk}/cancel")["status"] == "cancelled"
    assert not path.exists()
    assert run(job.pk) is None


@pytest.mark.parametrize("kind", KINDS)
def test_an_import_that_is_given_up_keeps_nothing_of_its_file(researcher: Browser, kind: Kind) -> None:
    model, *_, run = kind
    job, path = uploaded(researcher, kind)
    past = timezone.now() - timedelta(seconds=1)
    model.objects.filter(pk=job.pk).update(status="running", leased_until=past, attempts=jobs.MOST_ATTEMPTS)
    assert run(job.pk) is None
    assert model.objects.get(pk=job.pk).status == "failed"
    assert not path.exists()


@pytest.mark.parametrize("status", ["cancelled", "failed", "succeeded"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_a_killed_worker_left_is_removed_a_day_later(researcher: Browser, kind: Kind, status: str) -> None:
    job, path = uploaded(researcher, kind)
    job.status, job.finished_at = status, timezone.now() - timedelta(hours=23)
    job.save()
    assert (forget_old_uploads(), path.exists()) == (0, True)
    job.finished_at -= timedelta(hours=2)
    job.save()
    assert (forget_old_uploads(), path.exists()) == (1, False)
    assert forget_old_uploads() == 0


@pytest.mark.parametrize("status", ["cancelled", "failed", "succeeded"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_removed_from_the_bucket_too(bucket: Any, researcher: Browser, kind: Kind, status: str) -> None:
    job, _ = uploaded(researcher, kind)
    assert len(objects(bucket)) == 2
    job.status, job.finished_at = status, timezone.now() - timedelta(hours=25)
    job.save()
    assert forget_old_uploads() == 1
    assert objects(bucket) == set()
    assert type(job).objects.get(pk=job.pk).path == "", "so that the bucket is not asked again"
