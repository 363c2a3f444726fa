"""Gradings on a real database: their results, what applying changes, and the cost of a killed worker."""

import io
from collections.abc import Callable, Iterable, Iterator

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation_app.celery import app
from labeling.actions.gradings import apply_grading, create_grading, run_grading
from labeling.actions.jobs import cancel_job, sweep_jobs
from labeling.errors import GradingNotReady, GradingRunning, ProjectArchived
from labeling.grading import GRADER_VERSION, Grade, Question
from labeling.grading.process_pool import GradingPool
from labeling.models import AuditEvent, GradingJob, Project, Trace, TraceGrade
from labeling.queries.grading import differences, grading_counts
from labeling.tests.factories import make_project, make_traces, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def pool() -> Iterator[GradingPool]:
    with GradingPool(2, seconds=20) as processes:
        yield processes


def make_answers(project: Project, *answers: tuple[str, str | None], outcome: str = "ungraded") -> list[Trace]:
    """Create traces, each with its problem's answer and its own."""
    traces = make_traces(project, len(answers), outcome=outcome)
    for trace, (truth, answer) in zip(traces, answers, strict=True):
        trace.problem.answer, trace.final_answer = truth, answer
        trace.problem.save()
        trace.save()
    return traces


def outcomes(traces: list[Trace]) -> list[str]:
    return [Trace.objects.get(pk=trace.pk).outcome for trace in traces]


def test_a_grading_changes_nothing_until_it_is_applied(pool: GradingPool) -> None:
    project = make_project()
    traces = make_answers(project, ("5", "x=5"), ("5", "6"), ("5", None))
    job = run_grading(create_grading(project, by=None).pk, pool.grade)
    assert job.status == GradingJob.Status.SUCCEEDED
    assert (job.traces_total, job.traces_done) == (3, 3)
    assert outcomes(traces) == ["ungraded"] * 3
    assert [(grade.outcome_before, grade.outcome) for grade in differences(job)] == [
        ("ungraded", "correct"),
        ("ungraded", "wrong"),
    ]
    run_grading(apply_grading(job, by=None).pk, pool.grade)
    assert outcomes(traces) == ["correct", "wrong", "ungraded"]
    assert set(Trace.objects.values_list("grader_version", flat=True)) == {GRADER_VERSION}
    job.refresh_from_db()
    assert (job.changed, job.skipped) == (2, 0)
    assert job.applied_at is not None


def test_each_grade_says_how_it_came_about(pool: GradingPool) -> None:
    project = make_project()
    traces = make_answers(project, ("40000", None), ("5 cm", "5 meters"))
    traces[0].steps = ["So it is", r"\boxed{40,\!000}"]
    traces[0].save()
    job = run_grading(create_grading(project, by=None).pk, pool.grade)
    found = [(grade.outcome, grade.reason, grade.rule, grade.answer) for grade in job.grades.order_by("trace_id")]
    assert found == [
        ("correct", "same_number", "boxed", r"40,\!000"),
        ("wrong", "other_number", "recorded", "5 meters"),
    ]


def test_an_imported_outcome_is_not_replaced_by_cannot_tell(pool: GradingPool) -> None:
    project = make_project()
    traces = make_answers(project, ("24", "There is no solution."), ("24", "25"), outcome="correct")
    job = run_grading(create_grading(project, by=None).pk, pool.grade)
    assert grading_counts(job) == {
        "outcomes": {"correct": {"ungraded": 1, "wrong": 1}},
        "reasons": {"words_against_mathematics": 1, "other_number": 1},
        "differences": 2,
        "kept": 1,
    }
    run_grading(apply_grading(job, by=None).pk, pool.grade)
    assert outcomes(traces) == ["correct", "wrong"]
    assert Trace.objects.get(pk=traces[0].pk).grader_version == ""


def test_a_trace_that_changed_since_it_was_graded_is_skipped(pool: GradingPool) -> None:
    project = make_project()
    traces = make_answers(project, ("5", "5"), ("5", "5"))
    job = run_grading(create_grading(project, by=None).pk, pool.grade)
    Trace.objects.filter(pk=traces[0].pk).update(outcome="wrong")
    done = run_grading(apply_grading(job, by=None).pk, pool.grade)
    assert (done.changed, done.skipped) == (1, 1)
    assert outcomes(traces) == ["wrong", "correct"]


def test_a_new_answer_is_graded_again_and_listed_as_a_difference(pool: GradingPool) -> None:
    project = make_project()
    (trace,) = make_answers(project, ("5", "7"))
    job = run_grading(create_grading(project, by=None).pk, pool.grade)
    run_grading(apply_grading(job, by=None).pk, pool.grade)
    trace.problem.answer = "7"
    trace.problem.save()
    again = run_grading(create_grading(project, by=None).pk, pool.grade)
    (difference,) = differences(again)
    assert (difference.outcome_before, difference.outcome) == ("wrong", "correct")
    assert difference.version_before == GRADER_VERSION


def test_the_scope_leaves_out_what_is_graded(pool: GradingPool) -> None:
    project = make_project()
    make_answers(project, ("5", "5"), outcome="correct")
    make_answers(project, ("5", "5"))
    Trace.objects.filter(outcome="correct").update(grader_version=GRADER_VERSION)
    for scope, traces in (("all", 2), ("ungraded", 1), ("outdated", 1)):
        job = run_grading(create_grading(project, by=None, scope=scope).pk, pool.grade)
        assert (job.traces_total, job.traces_done) == (traces, traces)


def test_the_project_says_how_answers_are_compared(pool: GradingPool) -> None:
    cases = {"exact": "wrong", "maths": "correct", "numeric": "correct", "none": "ungraded"}
    for kind, outcome in cases.items():
        project = make_project(answer_kind=kind, answer_tolerance=0.01)
        make_answers(project, ("0.50", "1/2"))
        job = run_grading(create_grading(project, by=None).pk, pool.grade)
        assert job.grades.get().outcome == outcome, kind


def test_one_grading_of_a_project_runs_at_a_time_and_is_applied_once(pool: GradingPool) -> None:
    project = make_project()
    make_answers(project, ("5", "5"))
    job = create_grading(project, by=None)
    with pytest.raises(GradingRunning):
        create_grading(project, by=None)
    with pytest.raises(GradingNotReady):
        apply_grading(job, by=None)
    run_grading(job.pk, pool.grade)
    run_grading(apply_grading(job, by=None).pk, pool.grade)
    with pytest.raises(GradingNotReady):
        apply_grading(job, by=None)
    assert run_grading(job.pk, pool.grade) is None, "a doubled message finds nothing to do"


def test_an_archived_project_is_not_graded() -> None:
    with pytest.raises(ProjectArchived):
        create_grading(make_project(status="archived"), by=None)


class WorkerKilled(BaseException):
    """An error that ends a worker without cleaning up."""


def killed_after(answers: int, grade: Callable[[Iterable[Question]], Iterator[Grade]]) -> Callable:
    """A grader whose worker dies after this many answers."""
    left = [answers]

    def dying(questions: Iterable[Question]) -> Iterator[Grade]:
        for found in grade(questions):
            if left[0] == 0:
                raise WorkerKilled
            left[0] -= 1
            yield found

    return dying


def test_a_killed_worker_costs_its_chunk_and_the_sweep_finds_the_job(
    pool: GradingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labeling.actions.gradings.CHUNK", 2)
    project = make_project()
    make_answers(project, *[("5", "5")] * 5)
    job = create_grading(project, by=None)
    with pytest.raises(WorkerKilled):
        run_grading(job.pk, killed_after(3, pool.grade))
    job.refresh_from_db()
    assert (job.status, job.traces_done, job.grades.count()) == ("running", 2, 2)
    assert run_grading(job.pk, pool.grade) is None, "its lease still runs"
    GradingJob.objects.update(leased_until=timezone.now())
    woken: list[tuple[str, int]] = []
    sweep_jobs(lambda task, pk: woken.append((task, pk)))
    assert woken == [("worker.grade_traces", job.pk)]
    app.loader.import_default_modules()
    app.tasks["worker.grade_traces"](job.pk)
    job.refresh_from_db()
    assert (job.status, job.traces_done, job.grades.count()) == ("succeeded", 5, 5)


def test_a_cancelled_grading_stops_and_leaves_room_for_the_next(pool: GradingPool) -> None:
    project = make_project()
    make_answers(project, ("5", "5"))
    actor = make_user()
    job = create_grading(project, by=actor)
    cancel_job(job, by=actor)
    assert run_grading(job.pk, pool.grade) is None
    assert run_grading(create_grading(project, by=None).pk, pool.grade).status == "succeeded"
    actions = AuditEvent.objects.filter(project=project).order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["grading.create", "grading.cancel", "grading.create"]


def test_a_cancel_that_came_too_late_for_the_grading_does_not_stop_its_application(pool: GradingPool) -> None:
    project = make_project()
    traces = make_answers(project, ("5", "5"))
    actor = make_user()
    job = create_grading(project, by=actor)

    def cancelled_at_the_end(questions: Iterable[Question]) -> Iterator[Grade]:
        yield from pool.grade(questions)
        cancel_job(job, by=actor)

    ready = run_grading(job.pk, cancelled_at_the_end)
    assert (ready.status, ready.cancel_requested) == ("succeeded", True), "no sign of life came after the Cancel"
    assert not apply_grading(ready, by=actor).cancel_requested
    assert run_grading(job.pk, pool.grade).status == "succeeded"
    assert outcomes(traces) == ["correct"]


def test_a_new_grading_forgets_earlier_ones_that_were_not_applied(pool: GradingPool) -> None:
    project = make_project()
    make_answers(project, ("5", "5"))
    first = run_grading(create_grading(project, by=None).pk, pool.grade)
    second = run_grading(create_grading(project, by=None).pk, pool.grade)
    assert set(TraceGrade.objects.values_list("job", flat=True)) == {second.pk}
    assert first.pk != second.pk


def test_the_command_lists_the_differences_and_applies_them_when_told_to() -> None:
    project = make_project("sums")
    traces = make_answers(project, ("5", "5.0"), ("5", "6"))
    out = io.StringIO()
    call_command("grade_traces", "sums", "--processes", "1", stdout=out)
    assert "ungraded before: correct 1, wrong 1" in out.getvalue()
    assert f"trace {traces[1].pk}: ungraded -> wrong, other_number: '6' / '5'" in out.getvalue()
    assert "Nothing was changed." in out.getvalue()
    call_command("grade_traces", "sums", "--processes", "1", "--apply", stdout=out)
    assert "Applied: 2 outcomes changed, 0 skipped." in out.getvalue()
    assert outcomes(traces) == ["correct", "wrong"]
