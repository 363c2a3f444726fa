"""Plain rounds with too many traces for one request: workers put them on the queue."""

from uuid import uuid4

import pytest

from labeling.actions.labels import claim_next_label
from labeling.actions.round_stages import move_on
from labeling.actions.rounds import cancel_round, close_round, pause_round, resume_round
from labeling.configs import TraceFilter
from labeling.errors import RoundNotInStatus
from labeling.models import AuditEvent, Problem, Round, RoundChunk, Task
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, open_round
from worker.tests.rounds.world import let_leases_end, make_samples, project_with_samples, run_task, start, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def large_from_ten(monkeypatch) -> None:
    """Make a round of more than ten traces count as large."""
    monkeypatch.setattr("labeling.actions.rounds.AT_ONCE", 10)


def queue_of(round_: Round) -> list[tuple]:
    tasks = Task.objects.filter(round=round_).order_by("order_key")
    return list(tasks.values_list("trace", "kind", "reason", "order_key", "labels_wanted"))


@pytest.mark.parametrize(
    ("asked", "chunks"),
    [
        ({}, 3),
        ({"source": "filter", "filter": TraceFilter(outcome="wrong")}, 2),
        ({"source": "sample", "sample_size": 11}, 1),
    ],
)
def test_workers_queue_the_same_traces_in_the_same_order_as_a_request_would(asked, chunks, monkeypatch, large_from_ten):
    project = project_with_samples(problems=6, samples=4)
    large = open_round(project, seed=3, overlap=2, **asked)
    assert (large.status, large.task_count, large.opened_at) == ("preparing", 0, None)
    assert claim_next_label(make_member(project), project).empty.code == "no_open_round"
    make_samples(project, problems=1)  # too late for this round
    work(large)
    monkeypatch.setattr("labeling.actions.rounds.AT_ONCE", 1000)
    Problem.objects.filter(project=project).latest("pk").traces.all().delete()
    small = open_round(project, seed=3, overlap=2, **asked)
    assert (large.status, large.task_count) == ("labeling", small.task_count)
    assert queue_of(large) == queue_of(small)
    assert len(queue_of(large)) == small.task_count > 10
    assert large.opened_at is not None
    assert claim_next_label(make_member(project), project).label.task.round_id == large.pk
    assert AuditEvent.objects.filter(action="round.serve").count() == 1


def test_a_page_opens_it_once_however_often_it_asks_and_sees_how_far_it_is(large_from_ten):
    project = project_with_samples(problems=4, samples=4)
    browser = Browser(make_member(project, "researcher"))
    body = {"source": "all", "client_key": str(uuid4())}
    opened = [browser.call("POST", f"/api/projects/{project.slug}/rounds", body, status=201) for _ in range(2)]
    assert opened[0] == opened[1]
    assert (opened[0]["status"], opened[0]["staged"]) == ("preparing", False)
    round_ = Round.objects.get()
    assert move_on(round_.pk) == "queueing"
    (stage,) = browser.call("GET", f"/api/rounds/{round_.pk}/progress")["stages"]
    assert (stage["stage"], stage["state"], stage["done"], stage["total"]) == ("queueing", "running", 0, 16)


def test_doubled_messages_and_a_dead_worker_queue_nothing_twice(large_from_ten):
    project = project_with_samples(problems=4, samples=4)
    round_ = open_round(project)
    run_task("worker.advance_round", round_.pk)
    run_task("worker.advance_round", round_.pk)
    run_task("worker.run_chunks", round_.pk, "queueing")
    assert queue_of(round_)
    RoundChunk.objects.filter(round=round_).update(status="running", lease_token=uuid4())  # as if it had just died
    Round.objects.filter(pk=round_.pk).update(status="preparing", opened_at=None)
    let_leases_end(round_)
    work(round_)
    assert (round_.status, round_.task_count, len(queue_of(round_))) == ("labeling", 16, 16)


def test_it_is_paused_resumed_and_cancelled_and_leaves_staged_rounds_alone(large_from_ten):
    project = project_with_samples(problems=4, samples=4)
    round_ = open_round(project)
    start(project, None)  # one staged round may run at the same time
    assert pause_round(round_, by=None).resume_to == "preparing"
    assert work(round_).status == "paused"
    with pytest.raises(RoundNotInStatus, match="Cancel it"):
        close_round(round_, by=None)
    assert resume_round(round_, by=None).status == "preparing"
    assert cancel_round(round_, by=None).status == "cancelled"
    assert work(round_).status == "cancelled"
    assert claim_next_label(make_member(project), project).empty.code == "no_open_round"


def test_a_round_whose_traces_are_gone_by_then_says_so_and_may_be_tried_again(large_from_ten):
    project = project_with_samples(problems=4, samples=4)
    round_ = open_round(project)
    Problem.objects.filter(project=project).update(status="bad")
    work(round_)
    assert (round_.status, round_.error) == ("failed", "No trace fits. Widen the filter, or import traces first.")
    Problem.objects.filter(project=project).update(status="active")
    resume_round(round_, by=None)
    assert (work(round_).status, round_.task_count) == ("labeling", 16)
