"""An archived project is readable; nothing new can be started in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.gradings import create_grading, run_grading
from labeling.actions.imported_scores import record_score_import, run_score_import
from labeling.actions.imports import record_import, run_import
from labeling.actions.jobs import Lease
from labeling.actions.round_chunks import run_chunks
from labeling.actions.source_runs import run_chunk, verify_new_traces
from labeling.errors import ProjectArchived
from labeling.grading import Grade
from labeling.models import (
    Evaluation,
    EvaluationSet,
    Export,
    LabelAudit,
    Project,
    Promotion,
    Round,
    RoundChunk,
    Score,
    SourceChunk,
    SourceRun,
    Trace,
    TraceGrade,
    TrainingRun,
)
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_traces
from labeling.tests.imports.files import lines, neutral_row
from labeling.tests.selection.pools import PoolTrace, make_pool, make_prm, selecting_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: Any) -> Project:
    settings.TRAINING_BASES = {"Tiny": "tiny"}
    return make_project("algebra")


def test_nothing_new_begins_in_an_archived_project(project: Project) -> None:
    prm = make_prm(project=project)
    round_ = make_round(project)
    measured = {"traces": 1, "problems": 1, "erroneous": 1, "grader_versions": []}
    made = EvaluationSet.objects.create(project=project, name="Kept back", source="recorded", **measured)
    admin = Browser(make_member(project, "admin"))
    asked: dict[str, dict[str, Any]] = {
        "rounds": {"source": "all"},
        "rounds/start": {"prm": prm.pk, "k": 1},
        "training_runs": {"round_ids": [round_.pk], "base": "Tiny"},
        "evaluation_sets": {"name": "More", "source": "recorded"},
        "evaluations": {"prm": prm.pk, "evaluation_set": made.pk},
        "label_audits": {"prm": prm.pk, "labels": 2},
        "promotions": {"prm": prm.pk},
        "promotions/roll_back": {},
    }
    Project.objects.filter(pk=project.pk).update(status="archived")
    for address, body in asked.items():
        answer = admin.call("POST", f"/api/projects/algebra/{address}", body, status=409)
        assert answer["code"] == "project_archived", address
    assert list(Round.objects.all()) == [round_]
    assert not any(model.objects.exists() for model in (TrainingRun, Evaluation, LabelAudit, Promotion, Export))
    assert admin.call("GET", f"/api/rounds/{round_.pk}")["number"] == 1


def test_without_a_promotion_there_is_nothing_to_go_back_to(project: Project) -> None:
    researcher = Browser(make_member(project, "admin"))
    answer = researcher.call("POST", "/api/projects/algebra/promotions/roll_back", {}, status=409)
    assert answer["code"] == "nothing_to_roll_back"


def test_without_a_base_model_no_training_begins_and_it_says_who_can_name_one(project: Project, settings: Any) -> None:
    round_ = make_round(project)
    researcher = Browser(make_member(project, "researcher"))
    body = {"round_ids": [round_.pk], "base": "Tiny"}
    nothing = researcher.call("POST", "/api/projects/algebra/training_runs", body, status=422)
    assert "0 labels; 0 of them can be learned from" in nothing["detail"]
    settings.TRAINING_BASES = {}
    refused = researcher.call("POST", "/api/projects/algebra/training_runs", body, status=422)
    assert "Ask the operator to name one in TRAINING_BASES" in str(refused)
    assert not TrainingRun.objects.exists()


def test_jobs_that_wait_when_their_project_is_archived_end_with_a_sentence(project: Project, tmp_path: Path) -> None:
    make_traces(project, 2)
    (tmp_path / "rows.jsonl").write_bytes(lines(neutral_row()))
    file = {"by": None, "path": str(tmp_path / "rows.jsonl"), "file_name": "rows.jsonl", "skip_faulty": False}
    verify_new_traces(project, by=None)
    waiting: list[tuple[Any, Callable[[int], Any]]] = [
        (record_import(project, **file, format="", dry_run=False), run_import),
        (record_import(project, **file, format="", dry_run=True), run_import),
        (record_score_import(project, **file, name="ours"), run_score_import),
        (create_grading(project, by=None), lambda pk: run_grading(pk, no_work)),
        (SourceChunk.objects.get(), lambda pk: run_chunk(pk, no_work)),
    ]
    Project.objects.filter(pk=project.pk).update(status="archived")
    for job, run in waiting:
        ended = run(job.pk)
        assert (ended.status, ended.error) == ("failed", ProjectArchived.sentence), type(job)
    assert SourceRun.objects.get().status == "failed"
    assert (Trace.objects.count(), Score.objects.count(), TraceGrade.objects.count()) == (2, 0, 0)


@pytest.mark.django_db(transaction=True)  # a failing round releases its connection
def test_a_round_that_workers_prepare_stops_when_its_project_is_archived_and_goes_on_afterwards(
    project: Project,
) -> None:
    prm = make_prm(project=project)
    make_pool(project, prm, [PoolTrace(0, "wrong", -1.0)])
    round_ = selecting_round(project, prm)
    Project.objects.filter(pk=project.pk).update(status="archived")
    run_chunks(round_.pk, "selecting", no_work, worker="one")
    round_.refresh_from_db()
    assert (round_.status, round_.error) == ("failed", ProjectArchived.sentence)
    Project.objects.filter(pk=project.pk).update(status="active")
    Browser(make_member(project, "researcher")).call("POST", f"/api/rounds/{round_.pk}/resume")
    done: list[int] = []

    def note(chunk: RoundChunk, _: Lease) -> int:
        done.append(chunk.pk)
        return 1

    run_chunks(round_.pk, "selecting", note, worker="one")
    assert done


def no_work(*about: Any) -> Any:
    raise AssertionError(about)


def test_a_grading_is_not_applied_in_an_archived_project(project: Project) -> None:
    make_traces(project, 2)
    job = run_grading(create_grading(project, by=None).pk, lambda questions: iter([Grade("correct", "equal")] * 2))
    assert job is not None
    admin = Browser(make_member(project, "admin"))
    Project.objects.filter(pk=project.pk).update(status="archived")
    refused = admin.call("POST", f"/api/gradings/{job.pk}/apply", status=409)
    assert refused["code"] == "project_archived"
