"""The figures above a labeler's work: exact after everything that adds or removes a label, at a constant cost."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from labeling.actions import labels
from labeling.models import Label, Project, Round, RoundTally, User
from labeling.queries.own_progress import own_progress
from labeling.tests import factories
from labeling.tests.accounts import Browser

pytestmark = pytest.mark.django_db
ROWS_READ = """
    SELECT sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))
    FROM (
        SELECT oid FROM pg_class WHERE relname LIKE 'labeling\\_%' AND relkind = 'r'
        UNION SELECT indexrelid FROM pg_index WHERE indrelid::regclass::text LIKE 'labeling\\_%'
    ) AS tables_and_their_indexes
"""
SNAPSHOTS_OF_OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL
"""


def submit(labeler: User, project: Project, **said: object) -> Label:
    label = labels.claim_next_label(labeler, project).label
    return labels.submit_label(label, factories.make_submission([1] * len(label.task.trace.steps), **said))


def counted(round_: Round) -> int:
    """Return the figures computed from the labels themselves."""
    return Label.objects.filter(task__round=round_, status="submitted", surplus=False).count()


def tallied(round_: Round) -> int:
    return sum(RoundTally.objects.filter(round=round_).values_list("labels", flat=True))


def test_the_tally_is_right_after_whatever_happens_to_a_label() -> None:
    project = factories.make_project()
    ada, bert = factories.make_member(project), factories.make_member(project)
    round_ = factories.make_round(project, 4, overlap=2)
    first = submit(ada, project)
    submit(bert, project)
    assert tallied(round_) == counted(round_) == 2
    labels.reopen_label(first)
    assert tallied(round_) == counted(round_) == 1
    again = labels.submit_label(Label.objects.get(pk=first.pk), factories.make_submission([1, 0, 1]))
    labels.revise_label(again, factories.make_submission([0, 0, 0]))
    assert tallied(round_) == counted(round_) == 2
    Label.objects.filter(labeler=bert).update(surplus=True)
    assert tallied(round_) == counted(round_) == 1
    Label.objects.filter(labeler=bert).update(surplus=False)
    Label.objects.filter(labeler=bert).delete()
    assert tallied(round_) == counted(round_) == 1


def test_progress_counts_ones_own_day_and_the_round_that_is_open() -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 3)
    browser = Browser(ada)
    before = browser.call("GET", f"/api/projects/{project.slug}/my_progress")
    assert (before["submitted_today"], before["round"]["done"], before["round"]["total"]) == (0, 0, 3)
    label = browser.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]
    body = {"idempotency_key": str(uuid4()), "finish_reason": "solution", "ratings": [1, 1, 1]}
    browser.call("POST", f"/api/labels/{label['id']}/submit", body)
    after = browser.call("GET", f"/api/projects/{project.slug}/my_progress")
    assert (after["submitted_today"], after["round"]["done"], after["round"]["total"]) == (1, 1, 3)


def test_yesterdays_work_is_no_part_of_today() -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 2)
    old = submit(ada, project, total_ms=9_000)
    Label.objects.filter(pk=old.pk).update(submitted_at=timezone.now() - timedelta(days=1))
    submit(ada, project)
    assert own_progress(ada, project)["submitted_today"] == 1


@pytest.mark.django_db(transaction=True)
def test_progress_reads_as_few_rows_in_a_long_queue_and_after_much_work() -> None:
    few, many = (rows_for(own_progress, tasks) for tasks in (5, 120))
    assert 0 < many <= few + 10


@pytest.mark.django_db(transaction=True)
def test_a_label_reads_as_few_rows_in_a_long_queue_and_after_much_work() -> None:
    few, many = (rows_for(label_with_a_draft, tasks) for tasks in (5, 120))
    # Join orders vary, with 100 to 150 rows at any size; a scan reads one row per task.
    assert 0 < many <= few + (120 - 5) // 2


def label_with_a_draft(labeler: User, project: Project) -> None:
    label = labels.claim_next_label(labeler, project).label
    labels.save_draft(label, draft={"ratings": [1]}, base_revision=0)
    labels.submit_label(label, factories.make_submission([1] * len(label.task.trace.steps)))


def rows_for(what: Callable[[User, Project], object], tasks: int) -> int:
    """Return the rows read from all tables and indexes, with all but one task labeled by the labeler yesterday."""
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, tasks)
    for _ in range(tasks - 1):
        submit(ada, project)
    Label.objects.filter(labeler=ada).update(submitted_at=timezone.now() - timedelta(days=1))
    with connection.cursor() as cursor:
        vacuum_all(cursor)  # The index still points to the rows before the update.
        with transaction.atomic():
            cursor.execute("SET LOCAL enable_seqscan = off")  # A few hundred rows are one page, read whole by any plan.
            before = rows_read(cursor)
            what(ada, project)
            return rows_read(cursor) - before


def vacuum_all(cursor: CursorWrapper) -> None:
    """Vacuum even while autovacuum is running: VACUUM keeps what its snapshot might still see."""
    cursor.execute(SNAPSHOTS_OF_OTHERS)
    while cursor.fetchone() != (0,):
        cursor.execute("SELECT pg_sleep(0.01)")
        cursor.execute(SNAPSHOTS_OF_OTHERS)
    cursor.execute("VACUUM (ANALYZE, INDEX_CLEANUP ON)")


def rows_read(cursor: CursorWrapper) -> int:
    """Return the rows read in this transaction. Rows found by an index count for the index, whatever its name."""
    cursor.execute(ROWS_READ)
    [rows] = cursor.fetchone()
    return int(rows)
