"""Limits on what one person may do: those who reach one are told so, and when to retry; others are not affected."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings as project_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from labeling.actions import label_submissions
from labeling.api.throttles import StartThrottle
from labeling.configs.allowances import ALLOWANCES, read_allowances
from labeling.configs.reading import ConfigFault
from labeling.models import ApiToken, Export, Label, Project
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission

pytestmark = pytest.mark.django_db


def claim(browser: Browser) -> Any:
    return browser.send("POST", "/api/projects/algebra/labels/claim", {})


def release(browser: Browser) -> Any:
    held = claim(browser).json()["label"]["id"]
    return browser.send("POST", f"/api/labels/{held}/release", {})


def export(browser: Browser) -> Any:
    return browser.send("POST", "/api/projects/algebra/exports", {"format": "prm800k"})


def draft(browser: Browser) -> Any:
    made = Export.objects.get_or_create(project=Project.objects.get(slug="algebra"), format="neutral", config={})[0]
    return browser.send("POST", "/api/projects/algebra/releases", {"name": "Sums", "exports": [made.pk]})


def upload(browser: Browser) -> Any:
    return browser.upload("/api/projects/algebra/imports", {"file": SimpleUploadedFile("rows.jsonl", b"{}\n")})


def publish(browser: Browser) -> Any:
    return browser.send("POST", "/api/projects/algebra/guidelines", {"body": "Look at each step."})


def change(browser: Browser) -> Any:
    return browser.send("PATCH", "/api/projects/algebra", {"description": str(uuid4())})


def token(browser: Browser) -> Any:
    return browser.send("POST", "/api/tokens", {"name": "nightly"})


def submission(**more: Any) -> dict[str, Any]:
    return make_submission().as_sent() | {"idempotency_key": str(uuid4()), **more}


def revise(browser: Browser) -> Any:
    own = [label["id"] for label in browser.call("GET", "/api/projects/algebra/my_labels")["results"]]
    if not own:
        own = [claim(browser).json()["label"]["id"]]
        browser.call("POST", f"/api/labels/{own[0]}/submit", submission())
    return browser.send("POST", f"/api/labels/{own[0]}/revise", submission())


@pytest.mark.parametrize(
    ("name", "role", "act"),
    [
        ("claims", "annotator", claim),
        ("releases", "annotator", release),
        ("revisions", "annotator", revise),
        ("exports", "researcher", export),
        ("release_jobs", "admin", draft),
        ("imports", "researcher", upload),
        ("guidelines", "researcher", publish),
        ("project_changes", "admin", change),
        ("tokens", "annotator", token),
    ],
)
def test_who_reaches_a_quota_is_told_when_to_come_again_and_others_go_on(
    name: str, role: str, act: Any, settings: Any
) -> None:
    settings.ALLOWANCES = {**settings.ALLOWANCES, name: 2}
    project = make_project("algebra")
    make_round(project, 8)
    greedy, other = Browser(make_member(project, role)), Browser(make_member(project, role))
    assert all(act(greedy).status_code < 300 for _ in range(2))
    refused = act(greedy)
    assert refused.status_code == 429
    assert act(other).status_code < 300
    body = refused.json()
    assert (body["code"], body["allowance"]) == ("allowance_used", name)
    assert " 2 " in body["detail"]
    assert 0 < int(refused["Retry-After"]) <= 3600
    if name != "tokens":
        again = datetime.fromisoformat(body["retry_at"])
        assert timedelta(0) < again - timezone.now() <= timedelta(hours=1)
        assert f"after {again:%H:%M} UTC" in body["detail"]
    settings.ALLOWANCES = {**settings.ALLOWANCES, name: 0}
    assert act(greedy).status_code < 300, "0 is no limit"


def test_drafts_may_grow_so_much_an_hour_and_be_written_over_as_often_as_one_likes(settings: Any) -> None:
    settings.ALLOWANCES = {**settings.ALLOWANCES, "draft_bytes": 3_000}
    project = make_project("algebra")
    make_round(project, 2)
    labeler = Browser(make_member(project, "annotator"))
    label = claim(labeler).json()["label"]["id"]

    def save(size: int, revision: int) -> Any:
        body = {"draft": {"comment": "x" * size}, "base_revision": revision}
        return labeler.send("PUT", f"/api/labels/{label}/draft", body)

    for revision in range(4):
        assert save(10_000, revision).status_code == 200, "the same once more takes no more room"
    assert save(100, 4).status_code == 200
    refused = save(10_000, 5)
    assert (refused.status_code, refused.json()["allowance"]) == (429, "draft_bytes")
    assert "What you see stays on your page" in refused.json()["detail"]
    kept = Label.objects.get()
    assert (kept.draft_revision, kept.draft) == (5, {"comment": "x" * 100})
    assert save(50, 5).status_code == 200, "what takes less room is kept"
    assert save(8_000, 6).status_code == 200, "eight kilobytes are free"


def test_submissions_take_so_much_an_hour_and_one_of_them_holds_no_more_than_a_draft_can(settings: Any) -> None:
    settings.ALLOWANCES = {**settings.ALLOWANCES, "submission_bytes": 30_000}
    make_round(make_project("algebra"), 9)
    labeler = Browser(make_member(Project.objects.get(), "annotator"))

    def submit(comments: int) -> Any:
        said = submission(comments=[{"step": 0, "text": "x" * 9_000}] * comments)
        return labeler.send("POST", f"/api/labels/{claim(labeler).json()['label']['id']}/submit", said)

    assert [submit(0).status_code for _ in range(3)] == [200] * 3, "eight kilobytes are free"
    assert submit(3).status_code == 200
    refused = submit(3)
    assert (refused.status_code, refused.json()["allowance"]) == (429, "submission_bytes")
    assert submit(0).status_code == 200
    settings.ALLOWANCES = {**settings.ALLOWANCES, "submission_bytes": 0}
    refused = submit(230)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert "holds at most 2,000,000 bytes" in str(refused.json())


def test_files_may_take_so_many_bytes_an_hour_and_what_is_refused_is_not_kept(settings: Any) -> None:
    settings.ALLOWANCES = {**settings.ALLOWANCES, "upload_bytes": 250}
    project = make_project("algebra")
    greedy, other = (Browser(make_member(project, "researcher")) for _ in range(2))

    def send(browser: Browser, address: str = "imports", **fields: Any) -> Any:
        file = SimpleUploadedFile("rows.jsonl", b"{}\n" + b" " * 97)
        return browser.upload(f"/api/projects/algebra/{address}", {"file": file, **fields})

    before = set(kept.iterdir()) if (kept := settings.DATA_DIR / "imports").exists() else set()
    assert send(greedy, dry_run="true").status_code == 201
    assert send(greedy, "score_imports", name="ours").status_code == 201
    for refused in (send(greedy), send(greedy, "score_imports", name="ours")):
        assert (refused.status_code, refused.json()["allowance"]) == (429, "upload_bytes")
    assert not list(Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*.upload*"))
    assert len(set(kept.iterdir()) - before) == 2
    assert send(other).status_code == 201


@pytest.mark.parametrize("kind", ["rounds", "rounds/path"])
def test_rounds_that_are_opened_at_once_are_counted_as_those_that_workers_prepare(kind: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(StartThrottle, "rate", "2/min")
    make_round(make_project("algebra"), 1)
    browser = Browser(make_member(Project.objects.get(), "researcher"))
    answers = [browser.send("POST", f"/api/projects/algebra/{kind}", {}) for _ in range(3)]
    assert [answer.status_code == 429 for answer in answers] == [False, False, True]
    assert int(answers[-1]["Retry-After"]) > 0


def test_one_label_has_so_many_versions_and_no_more(monkeypatch: Any) -> None:
    monkeypatch.setattr(label_submissions, "MOST_REVISIONS", 3)
    make_round(make_project("algebra"), 1)
    labeler = Browser(make_member(Project.objects.get(), "annotator"))
    assert all(revise(labeler).status_code == 200 for _ in range(3))
    refused = revise(labeler)
    assert (refused.status_code, refused.json()["code"]) == (409, "revise_too_late")
    assert "Ask a reviewer" in refused.json()["detail"]


def test_tokens_that_ended_make_room_but_not_at_once(settings: Any) -> None:
    settings.ALLOWANCES = {**settings.ALLOWANCES, "tokens": 1}
    browser = Browser(make_member(make_project(), "annotator"))
    assert token(browser).status_code == 201
    browser.call("POST", f"/api/tokens/{ApiToken.objects.get().pk}/revoke")
    assert token(browser).status_code == 429, "made and revoked in a row, they would fill the audit log"
    ApiToken.objects.update(created_at=timezone.now() - timedelta(hours=2))
    assert token(browser).status_code == 201
    ApiToken.objects.update(created_at=timezone.now() - timedelta(hours=2), expires_at=timezone.now())
    assert token(browser).status_code == 201


def test_an_operator_sets_a_quota_and_hears_what_is_wrong_with_it() -> None:
    ours = {name: allowance.most for name, allowance in ALLOWANCES.items()}
    assert read_allowances("") == ours
    assert read_allowances('{"exports": 500, "claims": 0}') == {**ours, "exports": 500, "claims": 0}
    for text, said in (
        ('{"export": 5}', "there is no limit 'export'. The limits are claims, "),
        ('{"exports": -1}', "exports must be a whole number"),
        ('{"exports": true}', "exports must be a whole number"),
        ("[1]", "one line of JSON"),
        ("{", "one line of JSON"),
    ):
        with pytest.raises(ConfigFault, match="ALLOWANCES.*") as fault:
            read_allowances(text)
        assert said in str(fault.value)


def test_the_docs_list_every_quota_as_it_is() -> None:
    text = (Path(project_settings.BASE_DIR) / "docs" / "operations.md").read_text()
    for allowance in ALLOWANCES.values():
        assert f"| `{allowance.name}` | {allowance.most:,} | {allowance.means} |" in text


def test_no_export_is_made_by_a_request_beyond_the_quota(settings: Any) -> None:
    settings.ALLOWANCES = {**settings.ALLOWANCES, "exports": 1}
    browser = Browser(make_member(make_project("algebra"), "researcher"))
    export(browser)
    export(browser)
    assert Export.objects.count() == 1


def test_a_draft_with_a_number_beyond_64_bits_can_be_read_and_written_over() -> None:
    project = make_project("algebra")
    make_round(project, 2)
    labeler = Browser(make_member(project, "annotator"))
    label = claim(labeler).json()["label"]["id"]
    for revision, draft in enumerate(({"a": 1e20}, {"a": "x" * 9_000}, {"a": 1e20})):
        labeler.call("PUT", f"/api/labels/{label}/draft", {"draft": draft, "base_revision": revision})
    assert labeler.call("GET", f"/api/labels/{label}")["draft"] == {"a": 1e20}
    assert claim(labeler).json()["label"]["draft"] == {"a": 1e20}
