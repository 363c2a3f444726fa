"""The fast path of a claim and of a submission: few statements, and the same rows as the slow path."""

import re
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.forms.models import model_to_dict

from labeling.actions import label_fast_path, labels
from labeling.models import Guideline, Label, StepLabel
from labeling.tests.accounts import Program
from labeling.tests.factories import make_member, make_project, make_round, make_submission

OF_THE_MOMENT = (
    "id",
    "task",
    "problem",
    "labeler",
    "claimed_at",
    "opened_at",
    "last_seen_at",
    "leased_until",
    "submitted_at",
)
NEEDED = """
    SELECT column_name FROM information_schema.columns
    WHERE table_name = %s AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'
"""


def columns_left_out(statement: str, table: str) -> set[str]:
    """Return the columns that an insertion into the table must name, because they have no default, but does not."""
    [named] = re.findall(rf"INSERT INTO {table} \(([^)]*)\)", statement)
    with connection.cursor() as cursor:
        cursor.execute(NEEDED, [table])
        return {name for (name,) in cursor.fetchall()} - set(re.split(r",\s*", named.strip()))


INSERTIONS = [
    (label_fast_path.CLAIM, "labeling_label"),
    (label_fast_path.CLAIM_IN_SESSION, "labeling_label"),
    (label_fast_path.SUBMIT, "labeling_steplabel"),
    (label_fast_path.SUBMIT, "labeling_goldresult"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("statement", "table"), INSERTIONS)
def test_the_fast_path_names_every_column_that_has_to_have_a_value(statement, table):
    assert columns_left_out(statement, table) == set()
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} ADD COLUMN newer integer NOT NULL")
    assert columns_left_out(statement, table) == {"newer"}, "a new column without a default is noticed"


@pytest.mark.django_db(transaction=True)
def test_a_claim_a_draft_and_a_submission_over_http_take_three_statements_each(django_assert_num_queries):
    project = make_project()
    make_round(project, traces=5)
    program = Program(make_member(project))
    program.call("POST", f"/api/projects/{project.slug}/labels/claim", {"prefetch": True})  # records the token's use
    Label.objects.all().delete()
    with django_assert_num_queries(3):  # token with person, project with role, claim
        label = program.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]
    draft = {"draft": {"ratings": [1]}, "base_revision": 0}
    with django_assert_num_queries(3):  # token with person, label, draft
        program.call("PUT", f"/api/labels/{label['id']}/draft", draft)
    submission = {"idempotency_key": str(uuid4()), "finish_reason": "solution", "ratings": [1, 1, 1]}
    with django_assert_num_queries(3):  # token with person, label with all that is shown, submission
        program.call("POST", f"/api/labels/{label['id']}/submit", submission)
    assert StepLabel.objects.filter(label=label["id"]).count() == 3


@pytest.mark.django_db
def test_claiming_ahead_beside_an_open_label_is_one_statement_too(django_assert_num_queries):
    project = make_project()
    make_round(project, traces=5)
    ada = make_member(project)
    label = labels.claim_next_label(ada, project).label
    with django_assert_num_queries(3):  # savepoint, claim, its release
        claim = labels.claim_next_label(ada, project, prefetch=True)
    assert (claim.label, claim.label.status, claim.next.status) == (label, "open", "prefetched")
    assert claim.next.task.trace != claim.label.task.trace


@pytest.mark.django_db
def test_the_label_that_a_claim_leases_far_ahead_comes_whole_with_its_answer(django_assert_num_queries):
    project = make_project()
    make_round(project, traces=9)
    page = Program(make_member(project))
    claim = partial(page.call, "POST", f"/api/projects/{project.slug}/labels/claim", {"ahead": 3})
    first = claim()
    assert (len(first["further"]), first["leased"]) == (2, None)
    submission = {"idempotency_key": str(uuid4()), "finish_reason": "solution", "ratings": [1, 1, 1]}
    page.call("POST", f"/api/labels/{first['label']['id']}/submit", submission)
    with django_assert_num_queries(6):  # token with person, project with role, others' share, claim in a savepoint
        second = claim()
    leased = second["leased"]
    assert [second["label"]["id"], second["next"]["id"]] == [first["next"]["id"], first["further"][0]]
    assert second["further"] == [first["further"][1], leased["id"]]
    assert leased["status"] == "prefetched"
    asked = page.call("GET", f"/api/labels/{leased['id']}")
    assert asked | {"server_time": None} == leased | {"server_time": None}
    assert claim()["leased"] is None


@pytest.mark.django_db
def test_a_claim_writes_the_same_row_on_the_fast_and_the_slow_path():
    project = make_project()
    Guideline.objects.create(project=project, version=3, body="Be strict.")
    make_round(project, traces=5)
    fast = labels.claim_next_label(make_member(project), project).label
    slow = labels.claim_next_label(make_member(project), project, prefetch=True).label
    assert _without_the_moment(fast) == _without_the_moment(slow)
    for returned in (fast, slow):
        stored = Label.objects.get(pk=returned.pk)
        assert model_to_dict(returned) == model_to_dict(stored)
        assert (returned.task, returned.guideline) == (stored.task, stored.guideline)
        assert stored.leased_until - stored.claimed_at == stored.leased_until - stored.opened_at
        assert (stored.leased_until - stored.claimed_at).total_seconds() == 15 * 60


@pytest.mark.django_db
def test_a_submission_writes_the_same_rows_on_the_fast_and_the_slow_path():
    project = make_project()
    make_round(project, traces=5)
    written = []
    for comments in ([], [{"step": 1, "text": "Why?"}]):  # a comment is a separate row: the slow path
        ada = make_member(project)
        label = labels.claim_next_label(ada, project).label
        ahead = labels.claim_next_label(ada, project, prefetch=True).next
        spans = [{"step": 0, "start": 0, "end": 400}, {"step": None, "start": 400, "end": 500}]
        sent = {"noticed_at_step": 1, "spans": spans, "total_ms": 700, "client_build": "abc"}
        mistake = {"progress": "some", "explanation": "Lost a sign."}
        submission = make_submission([1, -1, None], mistake=mistake, comments=comments, **sent)
        returned = labels.submit_label(label, submission)
        stored = Label.objects.get(pk=label.pk)
        assert model_to_dict(returned) == model_to_dict(stored)
        assert stored.submission == submission.as_sent()
        assert Label.objects.get(pk=ahead.pk).status == "open"
        row = _without_the_moment(stored)
        del row["idempotency_key"], row["submission"]
        steps = StepLabel.objects.filter(label=label).order_by("step_index")
        written.append((row, [_without_the_moment(step) | {"label": None} for step in steps]))
    assert written[0] == written[1]
    assert [step["active_ms"] for step in written[0][1]] == [400, 0]


def _without_the_moment(row: Any) -> dict[str, Any]:
    return {name: value for name, value in model_to_dict(row).items() if name not in OF_THE_MOMENT}
