"""Rounds with adaptive overlap, and labelers who submit in them what a test wants."""

from typing import Any

from labeling.actions import labels
from labeling.models import Label, Project, Round, Task, User
from labeling.tests.factories import make_member, make_project, make_round, make_submission

RIGHT = [1, 1, 1]
WRONG_AT_1 = [1, -1, None]
WRONG_AT_2 = [1, 0, -1]


def adaptive_round(*, traces: int = 1, overlap: int = 2, most: int = 4, needed: int = 2, people: int = 6) -> Any:
    """Open a round over new traces, and make labelers of its project."""
    project = make_project()
    round_ = make_round(project, traces=traces, overlap=overlap, overlap_most=most, overlap_needed=needed)
    return round_, [make_member(project) for _ in range(people)]


def say(person: User, project: Project, ratings: list[int | None], **fields: Any) -> Label:
    """Submit the person's next label with these ratings."""
    label = labels.claim_next_label(person, project).label
    assert label is not None, "there is nothing to claim"
    return labels.submit_label(label, make_submission(ratings, **fields))


def the_task(round_: Round) -> Task:
    """Return the only task of a round, as it is now."""
    return Task.objects.get(round=round_)


def state_of(round_: Round) -> tuple[str, int | None, int]:
    """Return (settlement, verdict, labels wanted) of a round's only task."""
    task = the_task(round_)
    return task.settlement, task.verdict, task.labels_wanted
