"""Nobody judges the same text twice: a labeler's ratings are filled in again, for them alone, stored with their
source.
"""

from typing import Any
from uuid import uuid4

import pytest

from labeling.actions import labels
from labeling.models import Completion, Label, StepLabel, Task
from labeling.tests.accounts import Program
from labeling.tests.factories import (
    make_member,
    make_project,
    make_siblings,
    make_submission,
    open_round,
    require_counted_steps,
)

pytestmark = pytest.mark.django_db

FIRST = ["Let $x$ be the side.", r"Then \(\frac{1}{2}x = 3\).", "So the side is 5."]
SECOND = [
    "Let $x$ be the  side.",
    r"Then $\dfrac12 x = 3$.",
    "So the side is 6.",
    "# Answer 6",
]  # the same up to "3"


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def ada(project):
    return Program(make_member(project))


@pytest.fixture(autouse=True)
def _stored_with_each_label_is_how_many_steps_it_rates_itself():
    yield
    require_counted_steps()


def queue(project: Any, *step_lists: list[str]) -> None:
    """Open one round that serves these traces of one problem in this order."""
    make_siblings(project, *step_lists)
    opened = open_round(project, overlap=2)
    for place, task in enumerate(Task.objects.filter(round=opened).order_by("trace_id")):
        Task.objects.filter(pk=task.pk).update(order_key=place)


def claim(program: Program, project: Any) -> dict[str, Any]:
    return program.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]


def submit(program: Program, label: dict[str, Any], ratings: list[int | None], **fields: Any) -> None:
    reason = "found_error" if -1 in ratings else "solution"
    sent = {"idempotency_key": str(uuid4()), "finish_reason": reason, "ratings": ratings, **fields}
    program.call("POST", f"/api/labels/{label['id']}/submit", sent)


def task_of(label):
    """Return the task's id, which labelers are not shown."""
    return Label.objects.get(pk=label["id"]).task_id


def step_labels(label: dict[str, Any]) -> list[tuple[Any, ...]]:
    rows = StepLabel.objects.filter(label=label["id"]).order_by("step_index", "position")
    return list(rows.values_list("step_index", "rating", "source", "carried_from__label"))


def test_equal_steps_come_filled_in_and_what_is_left_is_kept_with_its_source(project, ada):
    queue(project, FIRST, SECOND)
    first = claim(ada, project)
    assert first["carried"] == []
    submit(ada, first, [1, 0, -1])
    second = claim(ada, project)
    [one, two] = second["carried"]  # the third step has another text
    assert (one["step"], one["rating"], two["step"], two["rating"]) == (0, 1, 1, 0)
    assert (one["label_id"], one["completion"]) == (first["id"], None)
    # The labeler kept the first, changed the rating of the second, and claims that an unknown text was carried over.
    marks = [{"step": step, "completion": None} for step in (0, 1, 2)]
    submit(ada, second, [1, 1, 1, 1], carried=marks)
    assert step_labels(second) == [
        (0, 1, "carried", first["id"]),
        (1, 1, "typed", None),
        (2, 1, "typed", None),
        (3, 1, "typed", None),
    ]


def test_a_carried_first_error_ends_what_is_filled_in(project, ada):
    queue(project, FIRST, [*FIRST[:2], "Something else."])
    submit(ada, claim(ada, project), [1, -1, None])
    assert [known["rating"] for known in claim(ada, project)["carried"]] == [1, -1]


def test_other_peoples_labels_and_other_problems_are_never_carried_over(project, ada):
    make_siblings(project, FIRST)  # the same words for another problem
    queue(project, FIRST, SECOND)
    bob = Program(make_member(project))
    submit(bob, claim(bob, project), [1, 0, -1])
    first, second, third = (_labeled(ada, project) for _ in range(3))
    assert first["carried"] == second["carried"] == []
    assert len(third["carried"]) == 2


def test_an_alternative_equal_to_a_rated_text_is_filled_in_too(project, ada):
    queue(project, FIRST, [*FIRST[:2], "The side is 7, I guess."])
    known, new = (Completion.objects.create(trace=trace, step_index=2, text=text) for trace, text in _offers(project))
    first = claim(ada, project)
    said = [{"completion": 1, "rating": 1, "flagged": True}]
    submit(ada, first, [1, 1, -1], alternatives=said)
    second = claim(ada, project)
    offered = second["alternatives"][0]["id"]
    [of_alternative] = [one for one in second["carried"] if one["completion"] == offered]
    assert (of_alternative["step"], of_alternative["rating"], of_alternative["flagged"]) == (2, 1, True)
    submit(
        ada,
        second,
        [1, 1, -1],
        alternatives=[{"completion": offered, "rating": 1, "flagged": True}],
        carried=[{"step": 2, "completion": offered}],
    )
    row = StepLabel.objects.get(completion=new)
    assert (row.source, row.carried_from.completion_id) == ("carried", known.pk)


def test_a_revised_label_is_carried_over_as_it_stands_now(project, ada):
    queue(project, FIRST, SECOND)
    first = claim(ada, project)
    submit(ada, first, [1, 1, 1])
    label = Label.objects.get(pk=first["id"])
    labels.revise_label(label, make_submission([0, 1, 1]))
    assert [known["rating"] for known in claim(ada, project)["carried"]] == [0, 1]


def test_taking_back_the_source_leaves_the_rating_that_was_carried_over(project, ada):
    queue(project, FIRST, SECOND)
    first = claim(ada, project)
    submit(ada, first, [1, 1, 1])
    second = claim(ada, project)
    submit(ada, second, [1, 1, 1, 1], carried=[{"step": 0, "completion": None}])
    again = labels.reopen_label(Label.objects.get(pk=first["id"]))
    labels.submit_label(again, make_submission([0, 1, 1]))
    assert step_labels(second)[0] == (0, 1, "carried", None)


def _labeled(program: Program, project: Any) -> dict[str, Any]:
    label = claim(program, project)
    submit(program, label, [1] * len(label["steps"]))
    return label


def _offers(project: Any) -> list[tuple[Any, str]]:
    traces = [task.trace for task in Task.objects.filter(round__project=project).order_by("order_key")]
    return list(zip(traces, ["So  the side is $6$.", "So the side is 6."], strict=True))


def test_researchers_see_which_ratings_were_carried_over_and_whence(project, ada):
    queue(project, FIRST, SECOND)
    first = claim(ada, project)
    submit(ada, first, [1, 0, -1])
    second = claim(ada, project)
    submit(ada, second, [1, 1, 1, 1], carried=[{"step": 0, "completion": None}])
    researcher = Program(make_member(project, "researcher"))
    [shown] = researcher.call("GET", f"/api/tasks/{task_of(second)}")["labels"]
    assert shown["carried"] == [{"step": 0, "task_id": task_of(first)}]
    [shown] = researcher.call("GET", f"/api/tasks/{task_of(first)}")["labels"]
    assert shown["carried"] == []
