"""Problem sessions: several traces of one problem in a row, with a labeler's own earlier labels within reach."""

from typing import Any

import pytest

from labeling.actions import labels
from labeling.models import Project, Task
from labeling.tests.accounts import Program
from labeling.tests.factories import make_member, make_project, make_siblings, make_submission, open_round

pytestmark = pytest.mark.django_db

PROBLEMS = 4
SIBLINGS = 4


def mixed_queue(session: int, **settings: Any) -> Project:
    """Four problems with four traces each; the queue takes a trace of each problem in turn."""
    project = make_project(session_traces=session)
    for _ in range(PROBLEMS):
        make_siblings(project, *([f"Trace {number}.", "So 1."] for number in range(SIBLINGS)))
    opened = open_round(project, **settings)
    for task in Task.objects.filter(round=opened).select_related("trace"):
        Task.objects.filter(pk=task.pk).update(order_key=int(task.trace.steps[0][6:-1]) * 100 + task.trace.problem_id)
    return project


def served(project: Project, count: int, *, ahead: bool) -> list[int]:
    """Return the problems of a new labeler's first labels, numbered in the order in which they appeared."""
    ada = make_member(project)
    problems = []
    for _ in range(count):
        label = labels.claim_next_label(ada, project, prefetch=ahead).label
        problems.append(label.task.trace.problem_id)
        labels.submit_label(label, make_submission([1, 1]))
    first_seen = list(dict.fromkeys(problems))
    return [first_seen.index(problem) for problem in problems]


@pytest.mark.parametrize("ahead", [False, True])
def test_a_session_serves_so_many_traces_of_a_problem_and_then_the_queues_next(ahead):
    assert served(mixed_queue(0), 6, ahead=ahead) == [0, 1, 2, 3, 0, 1]
    assert served(mixed_queue(3), 7, ahead=ahead) == [0, 0, 0, 1, 1, 1, 2]


def test_of_traces_that_several_people_label_a_session_holds_no_second_one():
    assert served(mixed_queue(3, overlap=2), 5, ahead=False) == [0, 1, 2, 3, 0]


def test_a_session_never_serves_a_trace_again_that_the_labeler_had_in_another_round():
    project = make_project(session_traces=3)
    for _ in range(2):
        make_siblings(project, ["Trace 0.", "So 1."])
    for _ in range(2):
        open_round(project)
    assert served(project, 4, ahead=False) == [0, 1, 0, 1]


def test_the_session_claim_is_one_statement_too(django_assert_num_queries):
    project = mixed_queue(2)
    ada = make_member(project)
    labels.submit_label(labels.claim_next_label(ada, project).label, make_submission([1, 1]))
    with django_assert_num_queries(3):  # savepoint, claim, its release
        labels.claim_next_label(ada, project)


def test_earlier_labels_of_the_problem_are_in_reach_and_nobody_elses():
    project = mixed_queue(2)
    bob, ada = Program(make_member(project)), Program(make_member(project))
    for person in (bob, ada):
        label = person.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]
        assert label["earlier_labels"] == 0
        sent = {"idempotency_key": f"00000000-0000-4000-8000-{label['id']:012}", "finish_reason": "found_error"}
        person.call("POST", f"/api/labels/{label['id']}/submit", {**sent, "ratings": [1, -1]})
    now = ada.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]
    assert now["earlier_labels"] == 1
    [earlier] = ada.call("GET", f"/api/labels/{now['id']}/earlier")["results"]
    assert (earlier["id"], earlier["ratings"], earlier["finish_reason"]) == (
        label["id"],
        [1, -1],
        "found_error",
    )
