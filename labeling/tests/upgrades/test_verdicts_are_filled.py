"""An installation from before labels had a verdict: each row gets the one that its label always implied."""

from typing import Any

import pytest
from django.utils import timezone

from labeling.tests.upgrades.steps import earlier_version

BEFORE = "0001_version_0_1_0"
AFTER = "0027_verdict_fits"
NEGATIVE_AT_1 = [1, -1, None]


def old_label(apps: Any, task: Any, reason: str, ratings: list[int | None], status: str = "submitted") -> int:
    """A label as the tables held it, by a labeler of its own."""
    person = apps.get_model("labeling", "User").objects.create(username=f"person {reason} {status} {ratings}")
    label = apps.get_model("labeling", "Label").objects.create(
        project=task.round.project,
        task=task,
        labeler=person,
        status=status,
        finish_reason=reason,
        submitted_at=timezone.now() if reason else None,
        leased_until=timezone.now(),
        submission={"ratings": ratings} if reason else None,
    )
    rows = apps.get_model("labeling", "StepLabel").objects
    for step, rating in enumerate(ratings):
        if rating is not None:
            rows.create(label=label, step_index=step, rating=rating)
    return int(label.pk)


def old_task(apps: Any) -> Any:
    """A task of a round, with an alternative that somebody offered for its first step."""
    make = {name: apps.get_model("labeling", name).objects.create for name in ("Project", "Problem", "Trace")}
    project = make["Project"](slug="old", name="Old")
    problem = make["Problem"](project=project, text="2+2?", text_hash=b"p")
    trace = make["Trace"](project=project, problem=problem, steps=["a", "b", "c"], trace_hash=b"t")
    round_ = apps.get_model("labeling", "Round").objects.create(project=project, number=1, config={}, status="closed")
    return apps.get_model("labeling", "Task").objects.create(round=round_, trace=trace, order_key=1, labels_wanted=0)


@pytest.mark.django_db(transaction=True)
def test_every_old_label_and_review_gets_the_verdict_that_follows_from_its_ratings():
    with earlier_version(BEFORE) as (apps, migrate):
        task = old_task(apps)
        expected = {
            old_label(apps, task, "found_error", NEGATIVE_AT_1): 1,
            old_label(apps, task, "found_error", [-1, None, None]): 0,
            old_label(apps, task, "found_error", [1, 1, -1], "superseded"): 2,
            old_label(apps, task, "found_error", [0, -1, None], "open"): 1,  # reopened: it may be submitted unchanged
            old_label(apps, task, "solution", [1, 1, 1]): -1,
            old_label(apps, task, "solution", NEGATIVE_AT_1): -1,  # confirmed with a reason
            old_label(apps, task, "bad_problem", NEGATIVE_AT_1): None,
            old_label(apps, task, "give_up", NEGATIVE_AT_1): None,
            old_label(apps, task, "", [None, None, None], "expired"): None,
        }
        offered = apps.get_model("labeling", "Completion").objects.create(trace=task.trace, step_index=0, text="A")
        rows = apps.get_model("labeling", "StepLabel").objects
        rows.create(label_id=min(expected), step_index=0, completion=offered, rating=-1)  # of an alternative: no error
        reviews = old_reviews(apps, task, list(expected)[:3])
        apps = migrate(AFTER)
        labels = apps.get_model("labeling", "Label").objects
        items = apps.get_model("labeling", "TriageItem").objects
        assert dict(labels.values_list("pk", "verdict")) == expected
        assert dict(items.values_list("pk", "verdict")) == reviews


def old_reviews(apps: Any, task: Any, labels: list[int]) -> dict[int, int | None]:
    """Blind reviews of these labels, and the verdicts to come: one found an error, one none, one is not done."""
    project = task.round.project
    prm = apps.get_model("labeling", "Prm").objects.create(project=project, name="prm", spec={}, fingerprint="f")
    triage = apps.get_model("labeling", "Triage").objects.create(project=project, prm=prm, seed=1)
    reviewer = apps.get_model("labeling", "User").objects.create(username="reviewer")
    done = {"reviewer": reviewer, "reviewed_at": timezone.now()}
    said: list[tuple[dict[str, Any], int | None]] = [
        ({**done, "ratings": [1, 1, -1], "finish_reason": "found_error"}, 2),
        ({**done, "ratings": [1, 1, 1], "finish_reason": "solution"}, -1),
        ({}, None),
    ]
    make = apps.get_model("labeling", "TriageItem").objects.create
    about = {"triage": triage, "arm": "model", "surprise": 1.0, "surprising_step": 0}
    return {
        make(label_id=label, place=place, **about, **fields).pk: verdict
        for place, (label, (fields, verdict)) in enumerate(zip(labels, said, strict=True))
    }
