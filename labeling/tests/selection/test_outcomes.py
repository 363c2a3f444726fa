"""A score repeats its trace's outcome, and stays correct when a grading changes it."""

import threading
import time

import pytest
from django.db import connection, transaction

from labeling.actions.gradings import apply_grading, create_grading, run_grading
from labeling.actions.step_scores import NewScore, add_scores
from labeling.grading import Grade
from labeling.models import Project, Score, Trace
from labeling.tests.factories import make_project
from labeling.tests.selection.pools import PoolTrace, make_pool, make_prm

pytestmark = pytest.mark.django_db(transaction=True)
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


def all_correct(questions):
    return (Grade("correct", "same_number", "recorded", "1") for _ in questions)


def apply_to(project: Project) -> None:
    job = run_grading(create_grading(project, by=None, wake=False).pk, all_correct)
    run_grading(apply_grading(job, by=None, wake=False).pk, all_correct)


def outcomes(model, project: Project) -> set[str]:
    return set(model.objects.filter(project=project).values_list("outcome", flat=True))


def test_applying_a_grading_changes_the_outcome_of_every_prms_score_and_of_no_other_project():
    project, other = make_project(), make_project()
    one, two = make_prm(), make_prm()
    for prm in (one, two):
        make_pool(project, prm, [PoolTrace(n, "wrong") for n in range(3)])
        make_pool(other, prm, [PoolTrace(0, "wrong")])
    apply_to(project)
    assert (outcomes(Trace, project), outcomes(Score, project)) == ({"correct"}, {"correct"})
    assert outcomes(Score, other) == {"wrong"}


def test_a_score_that_is_being_written_while_a_grading_is_applied_gets_the_new_outcome():
    project, prm = make_project(), make_prm()
    (trace,) = make_pool(project, None, [PoolTrace(0, "wrong")])
    written, seen = threading.Event(), []

    def score() -> None:
        with transaction.atomic():
            add_scores(prm, [NewScore(trace.pk, [0.5], -0.7, "")], exact=True)
            written.set()
            seen.append(somebody_waits())  # the grading, for the trace of these scores
        connection.close()

    scoring = threading.Thread(target=score)
    scoring.start()
    assert written.wait(60)
    apply_to(project)
    scoring.join()
    assert seen == [True]
    assert Score.objects.get(trace=trace).outcome == Trace.objects.get(pk=trace.pk).outcome == "correct"


def somebody_waits() -> bool:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return True
        time.sleep(0.02)
    return False
