"""What the answers to a gold item show about the item itself, by the time taken per rated step."""

import pytest
from django.utils import timezone

from labeling.actions.gold import make_gold
from labeling.models import Gold, GoldResult, Label, Project, Task
from labeling.quality.gold_diagnostics import EASY
from labeling.tests.accounts import Program
from labeling.tests.factories import make_member, make_project, make_round, make_user

pytestmark = pytest.mark.django_db

WRONG = 1
STEPS = 8


def gold_in(project: Project) -> Gold:
    task = Task.objects.get(round=make_round(project, steps=STEPS))
    Task.objects.update(kind=Task.Kind.GOLD, labels_wanted=0)
    return make_gold(task.trace, acceptable=[WRONG], by=None)


def answer(gold: Gold, *, rated: int, active_ms: int) -> None:
    """Create the answer of a labeler who found the error and rated this many steps."""
    about = {"project": gold.project, "labeler": make_user()}
    said = {"verdict": WRONG, "rated_steps": rated, "active_ms": active_ms, "finish_reason": "found_error"}
    now = timezone.now()
    done = {"status": "submitted", "submitted_at": now, **said}
    label = Label.objects.create(task=Task.objects.get(trace=gold.trace), **about, **done)
    GoldResult.objects.create(label=label, gold=gold, kind="gold", verdict=WRONG, passed=True, at=now, **about)


@pytest.mark.parametrize(
    ("rated", "seconds", "sign"), [(WRONG + 1, 2.2, "leaked"), (WRONG + 1, 6, "too_easy"), (STEPS, 0, "too_easy")]
)
def test_of_ratings_that_end_at_the_error_the_time_is_shared_among_these(rated, seconds, sign):
    assert signs_after(rated, seconds) == [sign]


@pytest.mark.parametrize(("seconds", "sign"), [(8, "leaked"), (24, "too_easy")])
def test_where_every_step_is_rated_the_time_is_shared_among_all(seconds, sign):
    assert signs_after(STEPS, seconds) == [sign]


def signs_after(rated: int, seconds: float) -> list[str]:
    project = make_project()
    gold = gold_in(project)
    for _ in range(EASY):
        answer(gold, rated=rated, active_ms=int(seconds * 1000))
    admin = Program(make_member(project, "admin"))
    [item] = admin.call("GET", f"/api/projects/{project.slug}/gold")["results"]
    return item["tally"]["signs"]
