"""Text from outside stays text: it is returned byte for byte, as JSON, whatever it would mean to a browser."""

from typing import Any
from uuid import uuid4

import pytest

from labeling.formats.names import one_line
from labeling.models import AuditEvent, Label, Problem, Trace
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.factories import make_member, make_project, make_round, make_user

pytestmark = pytest.mark.django_db

TEXTS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><svg/onload=alert(1)>",
    "javascript:alert(1)",
    "[x](javascript:alert(1)) ![](x onerror=alert(1))",
    r"$\href{javascript:alert(1)}{x}$ \htmlClass{a}{b} \includegraphics{//evil.example}",
    "{{7*7}} ${7*7} <%= 7*7 %> #{7*7}",
    "' OR 1=1; DROP TABLE labeling_label; --",
    "&lt;b&gt; &amp; &#x3c;",
    "\u202egnihton\u202c \u2066x\u2069 \u2028 \ufeff e\u0301 \U0001f9ee \x07\x1b[31m",
    "../../etc/passwd %00 %2e%2e%2f \\\\server\\share",
    "=cmd|' /C calc'!A0",
]


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def admin(project) -> Browser:
    return Browser(make_member(project, "admin"))


def read(browser: Browser, path: str) -> Any:
    """Return the response of a GET, which a browser can only interpret as JSON."""
    answer = browser.get(path)
    assert answer.status_code == 200, answer.content[:300]
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    return answer.json()


@pytest.mark.parametrize("text", TEXTS)
def test_a_projects_name_and_description_and_guidelines(project, admin, text):
    base = f"/api/projects/{project.slug}"
    name = one_line(text)  # a name holds no break
    admin.call("PATCH", base, {"name": name, "description": f" {text}\r\n\t"})
    admin.call("POST", f"{base}/guidelines", {"body": f"\n{text}  "}, status=201)
    shown = read(admin, base)
    assert (shown["name"], shown["description"]) == (name, f" {text}\r\n\t")
    assert read(admin, f"{base}/guidelines/current")["body"] == f"\n{text}  "
    assert read(admin, "/api/session")["user"]["memberships"][0]["project"]["name"] == name
    assert read(admin, f"{base}/audit")["results"][1]["detail"]["after"]["name"] == name


@pytest.mark.parametrize("text", TEXTS)
def test_a_persons_name_preferences_and_token_names(project, admin, text):
    link = admin.call("POST", f"/api/projects/{project.slug}/invitations", {"role": "annotator"}, status=201)[
        "url_path"
    ]
    name = one_line(text)
    body = {"username": "grace", "password": PASSWORD, "display_name": name}
    grace = Browser()
    assert grace.call("POST", f"/api{link}/accept", body)["user"]["display_name"] == name
    assert read(admin, f"/api/projects/{project.slug}/members")["results"][-1]["user"]["display_name"] == name
    grace.call("PUT", "/api/session/preferences", {"preferences": {text: [text]}})
    assert read(grace, "/api/session")["user"]["preferences"] == {text: [text]}
    grace.call("POST", "/api/tokens", {"name": name[:80]}, status=201)
    assert read(grace, "/api/tokens")["results"][0]["name"] == name[:80]


@pytest.mark.parametrize("text", TEXTS)
def test_a_problem_and_its_trace_on_the_labeling_page(project, text):
    make_round(project)
    Problem.objects.update(text=text, answer=text, subject=text[:100], source=text[:100], reference_solution=text)
    Trace.objects.update(steps=[text, text + "\n", " "], final_answer=text, generator=text)
    labeler = Browser(make_member(project))
    claimed = labeler.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]
    label = read(labeler, f"/api/labels/{claimed['id']}")
    assert label["steps"] == [text, text + "\n", " "]
    assert (label["problem"]["text"], label["problem"]["answer"], label["problem"]["subject"]) == (text, text, text)
    researcher = Browser(make_member(project, "researcher"))
    trace = read(researcher, f"/api/traces/{Trace.objects.get().pk}")
    assert (trace["steps"][0], trace["generator"], trace["final_answer"]) == (text, text, text)
    found = read(researcher, f"/api/projects/{project.slug}/traces")["results"][0]
    assert found["problem"]["text"] == text


@pytest.mark.parametrize("text", TEXTS)
def test_everything_a_labeler_writes(project, text):
    make_round(project, name=text[:120])
    labeler, researcher = Browser(make_member(project)), Browser(make_member(project, "researcher"))
    label = labeler.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]
    draft = {"note": text, text: [text]}
    labeler.call("PUT", f"/api/labels/{label['id']}/draft", {"draft": draft, "base_revision": 0})
    assert read(labeler, f"/api/labels/{label['id']}")["draft"] == draft
    labeler.call("POST", f"/api/labels/{label['id']}/submit", {
        "idempotency_key": str(uuid4()),
        "finish_reason": "found_error",
        "finish_detail": {"kind": "other", "text": text},
        "ratings": [1, -1, None],
        "mistake": {"progress": "some", "explanation": text},
        "comments": [{"step": 0, "text": text}],
        "reports": [{"kind": "split_badly", "step": 0, "text": text}],
        "confirmations": [{"code": "solution_with_error", "reason": text}],
        "client_build": text[:40],
    })  # fmt: skip
    seen = read(researcher, f"/api/tasks/{Label.objects.get(pk=label['id']).task_id}")["labels"][0]
    assert seen["finish_detail"]["text"] == text
    assert seen["mistake"]["explanation"] == text
    assert [comment["text"] for comment in seen["comments"]] == [text]
    assert [report["text"] for report in seen["reports"]] == [text]
    assert [confirmation["reason"] for confirmation in seen["confirmations"]] == [text]
    assert read(researcher, f"/api/projects/{project.slug}/rounds")["results"][0]["name"] == text[:120]


@pytest.mark.parametrize("text", TEXTS)
def test_the_reason_of_a_release_and_a_search(project, admin, text):
    make_round(project)
    label = Browser(make_member(project)).call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]
    admin.call("POST", f"/api/labels/{label['id']}/release", {"reason": text})
    assert AuditEvent.objects.get(action="label.release").detail["reason"] == text
    answer = admin.get(f"/api/projects/{project.slug}/traces", {"q": text})
    assert (answer.status_code, answer.json()["results"]) == (200, [])


def test_a_user_name_is_made_of_plain_signs_only():
    project = make_project()
    admin = Browser(make_member(project, "admin"))
    make_user("admin")
    for text in [*TEXTS, "аdmin\u200b", "a\u0000", "ADMIN", "a/b", " admin"]:
        link = admin.call("POST", f"/api/projects/{project.slug}/invitations", {"role": "admin"}, status=201)[
            "url_path"
        ]
        body = {"username": text, "password": PASSWORD}
        assert Browser().send("POST", f"/api{link}/accept", body).status_code == 400, text
