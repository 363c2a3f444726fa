"""The labeling page's calls over HTTP: what they return, and to whom."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from labeling.actions import labels, rounds
from labeling.models import AuditEvent, Completion, Label, Problem, Project, Task, Trace
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def ada(project):
    return make_member(project)


def test_a_labeler_claims_drafts_and_submits_over_http(project, ada):
    make_round(project, traces=2)
    page = _as(ada)
    claim = _post(page, f"/api/projects/{project.slug}/labels/claim", {"prefetch": True}).json()
    label = claim["label"]
    assert (label["status"], claim["next"]["status"], claim["empty"]) == ("open", "prefetched", None)
    assert label["steps"] == Trace.objects.get(tasks__labels=label["id"]).steps
    draft = page.put(
        f"/api/labels/{label['id']}/draft",
        {"draft": {"ratings": [1, None, None]}, "base_revision": 0},
        content_type="application/json",
    ).json()
    assert draft["draft_revision"] == 1
    answer = _post(page, f"/api/labels/{label['id']}/submit", _body([1, 0, 1])).json()
    assert answer["label"]["status"] == "submitted"
    assert answer["label"]["rated_steps"] == 3
    following = _post(page, f"/api/projects/{project.slug}/labels/claim", {}).json()["label"]
    assert following["id"] == claim["next"]["id"]


def test_what_is_missing_and_what_contradicts_is_said_with_its_code(project, ada):
    make_round(project, traces=1, filter=None)
    label = labels.claim_next_label(ada, project).label
    answer = _post(_as(ada), f"/api/labels/{label.pk}/submit", _body([1, None, 1]))
    assert answer.status_code == 422
    assert answer.json()["code"] == "submission_incomplete"
    assert answer.json()["missing"] == [{"code": "unrated_step", "step": 1}]


def test_another_labelers_label_does_not_exist(project, ada):
    make_round(project)
    label = labels.claim_next_label(ada, project).label
    other = _as(make_member(project))
    admin = _as(make_member(project, role="admin"))
    for client in (other, admin):
        assert client.get(f"/api/labels/{label.pk}").status_code == 404
        assert _post(client, f"/api/labels/{label.pk}/submit", _body([1, 1, 1])).status_code == 404
    assert _post(other, f"/api/labels/{label.pk}/release", {}).status_code == 404


def test_an_admin_sees_leases_and_releases_one_and_it_is_audited(project, ada):
    make_round(project)
    label = labels.claim_next_label(ada, project).label
    labels.save_draft(label, draft={"content": {"ratings": [1, None, None]}}, base_revision=0)  # as the page stores it
    admin = make_member(project, role="admin")
    held = _as(admin).get(f"/api/projects/{project.slug}/leases").json()["results"]
    assert [(lease["label_id"], lease["progress"]) for lease in held] == [(label.pk, {"rated": 1, "steps": 3})]
    assert _post(_as(admin), f"/api/labels/{label.pk}/release", {"reason": "On holiday."}).status_code == 200
    assert AuditEvent.objects.get(action="label.release").detail["reason"] == "On holiday."
    assert Label.objects.get().status == "released"


def test_a_deactivated_labeler_can_no_longer_submit(project, ada):
    make_round(project)
    label = labels.claim_next_label(ada, project).label
    ada.memberships.update(is_active=False)
    assert _post(_as(ada), f"/api/labels/{label.pk}/submit", _body([1, 1, 1])).status_code == 404


def test_the_reference_solution_is_shown_only_where_the_project_allows_and_the_look_is_recorded(project, ada):
    make_round(project)
    Problem.objects.update(reference_solution="Add one.")
    label = labels.claim_next_label(ada, project).label
    address = f"/api/labels/{label.pk}/reference"
    assert _post(_as(ada), address, {}).json()["code"] == "reference_not_available"
    assert not AuditEvent.objects.filter(action="label.show_reference").exists()
    Project.objects.update(reference_solution=True)
    assert _post(_as(ada), address, {}).json() == {"solution": "Add one."}
    assert AuditEvent.objects.filter(action="label.show_reference", actor=ada).count() == 1


def test_alternatives_at_a_step_are_offered_and_their_ratings_kept(project, ada):
    round_ = make_round(project)
    trace = round_.tasks.get().trace
    before, other = (Completion.objects.create(trace=trace, step_index=step, text="Or so.") for step in (2, 1))
    page = _as(ada)
    label = _post(page, f"/api/projects/{project.slug}/labels/claim", {}).json()["label"]
    assert label["alternatives"] == [
        {"id": 2, "step": 1, "text": "Or so."},
        {"id": 1, "step": 2, "text": "Or so."},
    ], "numbered within the trace, in the order in which they came: ids would tell what was imported together"
    said = [{"completion": 2, "rating": 1, "flagged": True}]
    unknown = _body([1, -1, None]) | {"alternatives": [{**said[0], "completion": before.pk + 2}]}
    refused = _post(page, f"/api/labels/{label['id']}/submit", unknown)
    assert (refused.status_code, refused.json()["code"]) == (422, "submission_mismatch")
    body = _body([1, -1, None]) | {"alternatives": said}
    assert _post(page, f"/api/labels/{label['id']}/submit", body).status_code == 200
    kept = Label.objects.get().step_labels.get(completion=other)
    assert (kept.step_index, kept.rating, kept.flagged) == (1, 1, True)
    sent = page.get(f"/api/labels/{label['id']}").json()["submission"]
    assert sent["alternatives"] == said, "a revision begins with what was sent"
    again = {**_body([1, -1, None]), "idempotency_key": str(uuid4()), "alternatives": [{**said[0], "rating": 0}]}
    assert _post(page, f"/api/labels/{label['id']}/revise", again).status_code == 200
    assert Label.objects.get(status="submitted").step_labels.get(completion=other).rating == 0


def test_my_work_lists_what_i_did_and_the_expired_label_that_holds_work(project, ada):
    make_round(project, traces=3)
    done = labels.claim_next_label(ada, project).label
    labels.submit_label(done, make_submission([1, 1, -1]))
    lost = labels.claim_next_label(ada, project).label
    labels.save_draft(lost, draft={"ratings": [1]}, base_revision=0)
    Label.objects.filter(pk=lost.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    rows = _as(ada).get(f"/api/projects/{project.slug}/my_labels").json()["results"]
    assert [(row["id"], row["status"], row["verdict"], row["has_draft"]) for row in rows] == [
        (lost.pk, "expired", None, True),
        (done.pk, "submitted", 2, False),
    ]


def test_my_work_takes_as_many_queries_for_twenty_labels_as_for_one(project, ada, django_assert_num_queries):
    make_round(project, traces=20)
    page = _as(ada)
    address = f"/api/projects/{project.slug}/my_labels"
    _label_all(project, ada, 1)
    with django_assert_num_queries(6):
        page.get(address)
    _label_all(project, ada, 19)
    with django_assert_num_queries(6):
        assert len(page.get(address).json()["results"]) == 20


def test_a_task_page_shows_the_trace_with_all_its_labels_side_by_side(project, ada):
    round_ = make_round(project, overlap=2)
    for person, ratings in ((ada, [1, 1, 1]), (make_member(project), [1, -1, None])):
        label = labels.claim_next_label(person, project).label
        labels.submit_label(label, make_submission(ratings))
    researcher = _as(make_member(project, role="researcher"))
    task = researcher.get(f"/api/tasks/{round_.tasks.get().pk}").json()
    assert [label["ratings"] for label in task["labels"]] == [[1, 1, 1], [1, -1, None]]
    trace = researcher.get(f"/api/traces/{task['trace']['id']}").json()
    assert len(trace["tasks"][0]["labels"]) == 2
    listed = researcher.get(f"/api/projects/{project.slug}/tasks?state=done").json()["results"]
    assert [row["labels"] for row in listed] == [{"submitted": 2, "open": 0}]


def test_a_researcher_previews_opens_pauses_and_closes_a_round(project):
    researcher = _as(make_member(project, role="researcher"))
    base = f"/api/projects/{project.slug}/rounds"
    assert _post(researcher, base, {"source": "all"}).json()["code"] == "nothing_to_queue"
    make_round(project, traces=5)
    choice = {"source": "sample", "sample_size": 2, "seed": 1}
    preview = _post(researcher, f"{base}/preview", choice).json()
    assert (preview["traces"], len(preview["sample"])) == (2, 2)
    opened = _post(researcher, base, choice | {"name": "Pilot", "overlap": 3, "priority": 2}).json()
    assert opened["counts"] == {"tasks": 2, "labels_wanted": 6, "submitted": 0, "open": 0, "surplus": 0}
    address = f"/api/rounds/{opened['id']}"
    assert _post(researcher, f"{address}/pause", {}).json()["status"] == "paused"
    assert _post(researcher, f"{address}/pause", {}).json()["status"] == "paused", "a second press changes nothing"
    assert _post(researcher, f"{address}/close", {}).json()["status"] == "closed"
    assert _post(researcher, f"{address}/resume", {}).status_code == 409


def test_a_round_that_is_closed_or_not_published_wants_no_labels(project, ada):
    researcher = _as(make_member(project, role="researcher"))
    first = make_round(project, traces=4, overlap=2)
    _label_all(project, ada, 3)

    def progress():
        return researcher.get(f"/api/projects/{project.slug}/overview").json()["progress"]

    assert (progress()["slots"], progress()["submitted"]) == (8, 3)
    assert _post(researcher, f"/api/rounds/{first.pk}/pause", {}).status_code == 200
    assert progress()["slots"] == 8, "it goes on"
    assert _post(researcher, f"/api/rounds/{first.pk}/close", {}).status_code == 200
    assert (progress()["slots"], progress()["submitted"]) == (3, 3)
    make_round(project, traces=2)
    assert progress()["slots"] == 3 + 6, "of all six traces one label each"


def test_the_header_is_told_of_the_round_it_names(project, ada):
    first = make_round(project, traces=2)
    second = make_round(project, traces=3, priority=5)
    _label_all(project, ada, 1)
    browser, address = _as(ada), f"/api/projects/{project.slug}/my_progress"

    def counted(asked=""):
        found = browser.get(f"{address}{asked}").json()["round"]
        return found and (found["number"], found["done"], found["total"])

    assert counted() == counted(f"?round={second.number}") == (second.number, 1, 5)
    assert counted(f"?round={first.number}") == (first.number, 0, 2)
    rounds.pause_round(first, by=None)
    assert counted(f"?round={first.number}") == (first.number, 0, 2)
    rounds.close_round(first, by=None)
    assert counted(f"?round={first.number}") is None
    assert counted("?round=99") is None
    assert browser.get(f"{address}?round=none").status_code == 400


def test_the_overview_counts_labels_steps_errors_and_time(project, ada):
    make_round(project, traces=4)
    _label_all(project, ada, 2)
    labels.submit_label(labels.claim_next_label(ada, project).label, make_submission([0, -1, None]))
    overview = _as(make_member(project, role="researcher")).get(f"/api/projects/{project.slug}/overview").json()
    assert overview["progress"] == {"tasks": 4, "slots": 4, "submitted": 3, "open": 0, "surplus": 0}
    assert overview["label_mix"] == {"-1": 1, "0": 1, "1": 6}
    assert overview["finish_mix"] == {"found_error": 1, "solution": 2}
    assert overview["first_error_histogram"] == [{"step": 1, "n": 1}]
    assert overview["labelers"][0]["labels"] == 3


@pytest.mark.parametrize("draft", [{"note": "a\x00b"}, {"deep": [{"x": "\x00"}]}, {"long": "x" * 1_000_001}, []])
def test_a_draft_the_database_cannot_hold_is_refused(project, ada, draft):
    make_round(project)
    label = labels.claim_next_label(ada, project).label
    answer = _as(ada).put(
        f"/api/labels/{label.pk}/draft", {"draft": draft, "base_revision": 0}, content_type="application/json"
    )
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid"


def test_a_stranger_cannot_claim(project):
    make_round(project)
    assert _post(_as(make_user()), f"/api/projects/{project.slug}/labels/claim", {}).status_code == 404


@pytest.mark.parametrize(
    ("accept", "status"),
    [("application/json", 200), ("*/*", 200), ("text/html, application/json;q=0.5", 200), ("text/html", 406)],
)
def test_who_takes_no_json_is_told_that_there_is_nothing_else(project, ada, accept, status):
    answer = _as(ada).get(f"/api/projects/{project.slug}/my_stats", headers={"accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/json")


def _as(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def _post(client: Client, address: str, body: dict):
    return client.post(address, body, content_type="application/json")


def _body(ratings: list[int | None]) -> dict:
    reason = "found_error" if -1 in ratings else "solution"
    return {"idempotency_key": str(uuid4()), "finish_reason": reason, "ratings": ratings}


def _label_all(project, person, count: int) -> None:
    for _ in range(count):
        labels.submit_label(labels.claim_next_label(person, project).label, make_submission())


def test_my_work_counts_own_hasty_labels_of_gold_and_work_alike(project, ada):
    make_round(project, traces=3)
    for spent in (100, 60_000, 100):
        label = labels.claim_next_label(ada, project).label
        labels.submit_label(label, make_submission())
        Label.objects.filter(pk=label.pk).update(active_ms=spent)
    make_round(project, traces=1)
    other = make_member(project)
    labels.submit_label(labels.claim_next_label(other, project).label, make_submission())
    said = _as(ada).get(f"/api/projects/{project.slug}/my_stats").json()
    assert (said["hasty"], said["judged"], said["floor_ms"], said["submitted"]) == (2, 3, 2_000, 3)
    Task.objects.update(kind="gold", labels_wanted=0)
    assert _as(ada).get(f"/api/projects/{project.slug}/my_stats").json()["hasty"] == 2
