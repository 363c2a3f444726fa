"""Role x endpoint x foreign id. A new address without a row here fails the test."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from labeling.actions.api_tokens import create_token
from labeling.api.authentication import QUESTIONS
from labeling.tests.accounts import Browser, Program
from labeling.tests.security import console_rows, release_rows
from labeling.tests.security.bodies import BODIES
from labeling.tests.security.conftest import ACTORS
from labeling.tests.security.retention_rows import retention_rows
from labeling.tests.security.source_rows import SOURCE_BODIES, source_rows
from labeling.tests.security.world import Home, Operation, operations, placeholders

pytestmark = pytest.mark.django_db

EVERYBODY = "200 200 200 200 200 200 200 200"
LOGGED_IN = "401 200 200 200 200 200 200 200"
MEMBERS = "401 404 404 200 200 200 200 200"
RESEARCHERS = "401 404 404 403 403 200 200 200"
RESEARCHERS_BY_ID = "401 404 404 404 404 200 200 200"
ADMINS = "401 404 404 403 403 403 200 200"
ADMINS_BY_ID = "401 404 404 404 404 404 200 200"
NOBODY_FINDS = "404 404 404 404 404 404 404 404"
OWNER = "401 404 404 404 200 404 404 404"

ROWS = {
    "GET schema": LOGGED_IN,  # everybody with PUBLIC_SCHEMA
    # Session
    "GET session": EVERYBODY,
    "POST session/login": "401 401 401 401 401 401 401 401",  # the row sends a wrong password
    "POST session/logout": EVERYBODY,
    "POST session/providers/<slug:provider>/begin": NOBODY_FINDS,  # no provider is set up
    "GET session/providers/<slug:provider>/callback": NOBODY_FINDS,
    "POST session/password": "401 400 400 400 400 400 400 400",  # the row sends a wrong old password
    "POST session/password/forgotten": "409 409 409 409 409 409 409 409",  # the site of the tests sends no mail
    "POST session/password/new": "409 409 409 409 409 409 409 409",  # the row's link is nobody's
    "POST session/passkey/begin": NOBODY_FINDS,  # PASSKEYS is off
    "POST session/passkey": NOBODY_FINDS,
    "POST session/check": "401 401 401 401 401 401 401 401",  # the row sends a wrong password
    "GET session/browsers": LOGGED_IN,
    "POST session/browsers/end_others": LOGGED_IN,
    "POST session/browsers/<int:browser_id>/end": OWNER,
    "GET session/factors": LOGGED_IN,
    "POST session/factors/code_app": "401 201 201 201 201 201 201 201",
    "POST session/factors/code_app/confirm": "401 404 404 404 404 404 404 404",  # none was begun
    "POST session/factors/passkey": "401 404 404 404 404 404 404 404",  # PASSKEYS is off
    "POST session/factors/passkey/finish": "401 404 404 404 404 404 404 404",
    "POST session/factors/recovery_codes": "401 400 400 400 201 400 400 400",  # the owner has a second factor
    "POST session/factors/<int:factor_id>/remove": OWNER,
    "PUT session/preferences": LOGGED_IN,
    "GET tokens": LOGGED_IN,
    "POST tokens": "401 201 201 201 201 201 201 201",
    "POST tokens/<int:token_id>/revoke": OWNER,
    # The site
    "GET site": "401 403 403 403 403 403 403 200",
    # Invitations
    "GET invitations": LOGGED_IN,
    "POST invitations/<int:invitation_id>/join": "401 404 404 404 404 404 404 404",  # it names none of them
    "GET invitations/<str:token>": EVERYBODY,
    "POST invitations/<str:token>/accept": "400 200 200 409 409 409 409 200",  # 400: says what account to make
    "POST invitations/<int:invitation_id>/revoke": "401 404 404 404 404 404 200 200",
    "GET projects/<slug:slug>/invitations": ADMINS,
    "POST projects/<slug:slug>/invitations": ADMINS.replace("200", "201"),
    # Projects and their people
    "GET projects": LOGGED_IN,
    "POST projects": "401 403 403 403 403 403 403 201",
    "GET projects/<slug:slug>": MEMBERS,
    "PATCH projects/<slug:slug>": ADMINS,
    "GET projects/<slug:slug>/audit": ADMINS,
    "GET projects/<slug:slug>/audit.csv": ADMINS,
    "GET projects/<slug:slug>/members": RESEARCHERS,
    "POST projects/<slug:slug>/members/<int:member_id>/role": ADMINS,
    "POST projects/<slug:slug>/members/<int:member_id>/deactivate": ADMINS,
    "POST projects/<slug:slug>/members/<int:member_id>/reactivate": ADMINS,
    "GET projects/<slug:slug>/guidelines": MEMBERS,
    "POST projects/<slug:slug>/guidelines": RESEARCHERS.replace("200", "201"),
    "GET projects/<slug:slug>/guidelines/current": MEMBERS,
    "GET projects/<slug:slug>/guidelines/<int:version>": MEMBERS,
    # Labeling
    "POST projects/<slug:slug>/labels/claim": MEMBERS,
    "GET projects/<slug:slug>/my_labels": MEMBERS,
    "GET projects/<slug:slug>/my_progress": MEMBERS,
    "GET projects/<slug:slug>/my_stats": MEMBERS,
    "GET labels/<int:label_id>": OWNER,
    "POST labels/<int:label_id>/heartbeat": OWNER,
    "PUT labels/<int:label_id>/draft": OWNER,
    "POST labels/<int:label_id>/submit": OWNER,
    "POST labels/<int:label_id>/reopen": OWNER,
    "POST labels/<int:label_id>/resume": OWNER,
    "POST labels/<int:label_id>/revise": OWNER,
    "POST labels/<int:label_id>/reference": OWNER,
    "POST labels/<int:label_id>/reveal": OWNER,
    "GET labels/<int:label_id>/typed_steps/<int:place>": OWNER,
    "GET labels/<int:label_id>/images/<str:sha256>": OWNER,
    "GET labels/<int:label_id>/earlier": OWNER,
    "POST labels/<int:label_id>/suggestions": OWNER,
    "GET labels/<int:label_id>/path": OWNER,
    "POST labels/<int:label_id>/path/rest": OWNER.replace("200", "409"),  # the rows speak of another path
    "POST labels/<int:label_id>/path/steps": OWNER.replace("200", "409"),
    "POST labels/<int:label_id>/path/undo": OWNER.replace("200", "409"),
    "GET projects/<slug:slug>/time": RESEARCHERS,
    "GET projects/<slug:slug>/time.csv": RESEARCHERS,
    "POST labels/<int:label_id>/release": "401 404 404 404 200 404 200 200",
    # People's figures
    "GET projects/<slug:slug>/my_coaching": MEMBERS,
    # Notices and webhooks
    "GET notices": LOGGED_IN,
    "GET notices/unread": LOGGED_IN,
    "POST notices/read_all": LOGGED_IN,
    "POST notices/<int:notice_id>/read": OWNER,
    "GET notices/choices": LOGGED_IN,
    "PUT notices/choices": LOGGED_IN,
    "GET projects/<slug:slug>/webhooks": ADMINS,
    "POST projects/<slug:slug>/webhooks": ADMINS.replace("200", "422"),  # the row names a host that is not listed
    "PATCH webhooks/<int:webhook_id>": ADMINS_BY_ID,
    "POST webhooks/<int:webhook_id>/remove": ADMINS_BY_ID,
    "POST webhooks/<int:webhook_id>/secret": ADMINS_BY_ID,
    "POST webhooks/<int:webhook_id>/try": ADMINS_BY_ID,
    "GET projects/<slug:slug>/deliveries": ADMINS,
    "POST deliveries/<int:delivery_id>/retry": ADMINS_BY_ID,
    "GET labels/<int:label_id>/comparison": OWNER,
    # Agreement and review
    "GET projects/<slug:slug>/agreement": RESEARCHERS,
    "GET projects/<slug:slug>/agreement.csv": RESEARCHERS,
    "GET projects/<slug:slug>/reviews": RESEARCHERS,
    "GET projects/<slug:slug>/reviews/counts": RESEARCHERS,
    "GET projects/<slug:slug>/my_replies": MEMBERS,
    "GET tasks/<int:task_id>/review": RESEARCHERS_BY_ID,
    "POST tasks/<int:task_id>/settle": RESEARCHERS_BY_ID,
    "POST tasks/<int:task_id>/withdraw_ruling": RESEARCHERS_BY_ID.replace("200", "409"),  # nobody has ruled
    "POST tasks/<int:task_id>/dismiss": RESEARCHERS_BY_ID,
    "POST tasks/<int:task_id>/replies": "401 404 404 404 404 422 422 422",  # to nobody who labeled it
    "POST tasks/<int:task_id>/bad_problem": RESEARCHERS_BY_ID,
    "POST tasks/<int:task_id>/restore_problem": "401 404 404 404 404 409 409 409",  # it is not bad
    "POST tasks/<int:task_id>/accept_answer": RESEARCHERS_BY_ID.replace("200", "201"),
    "POST tasks/<int:task_id>/correct_answer": RESEARCHERS_BY_ID.replace("200", "201"),
    "POST tasks/<int:task_id>/repair_split": "401 404 404 404 404 422 422 422",  # into another text
    "POST labels/<int:label_id>/replies": OWNER.replace("200", "201"),
    # Label audit
    "GET projects/<slug:slug>/label_audits": RESEARCHERS,
    "POST projects/<slug:slug>/label_audits": RESEARCHERS.replace("200", "400"),  # the row names no PRM of the project
    "POST projects/<slug:slug>/label_audits/preview": RESEARCHERS.replace("200", "400"),
    "GET label_audits/<int:label_audit_id>": RESEARCHERS_BY_ID,
    "GET label_audits/<int:label_audit_id>/report.csv": RESEARCHERS_BY_ID,
    "POST label_audits/<int:label_audit_id>/next": RESEARCHERS_BY_ID,
    "POST label_audits/<int:label_audit_id>/finish": "401 404 404 404 404 409 409 409",  # nothing was reviewed
    "POST label_audits/<int:label_audit_id>/cancel": RESEARCHERS_BY_ID,
    "POST label_audits/<int:label_audit_id>/undo": "401 404 404 404 404 409 409 409",  # it is open
    "GET label_audit_items/<int:item_id>": RESEARCHERS_BY_ID,
    "POST label_audit_items/<int:item_id>/review": RESEARCHERS_BY_ID,
    "GET label_audit_items/<int:item_id>/typed_steps/<int:place>": RESEARCHERS_BY_ID,
    "GET label_audit_items/<int:item_id>/images/<str:sha256>": RESEARCHERS_BY_ID,
    # Rounds, tasks, traces
    "GET projects/<slug:slug>/overview": RESEARCHERS,
    "GET projects/<slug:slug>/leases": RESEARCHERS,
    "GET projects/<slug:slug>/rounds": RESEARCHERS,
    "POST projects/<slug:slug>/rounds": RESEARCHERS.replace("200", "201"),
    "POST projects/<slug:slug>/rounds/preview": RESEARCHERS,
    "GET rounds/<int:round_id>/paths": RESEARCHERS_BY_ID,
    "POST projects/<slug:slug>/rounds/path": RESEARCHERS.replace("200", "201"),
    "POST projects/<slug:slug>/rounds/path/preview": RESEARCHERS,
    "GET rounds/<int:round_id>": RESEARCHERS_BY_ID,
    "POST rounds/<int:round_id>/pause": RESEARCHERS_BY_ID,
    "POST rounds/<int:round_id>/resume": RESEARCHERS_BY_ID,
    "POST rounds/<int:round_id>/close": RESEARCHERS_BY_ID,
    "GET projects/<slug:slug>/prms": RESEARCHERS,
    "POST projects/<slug:slug>/prms": ADMINS.replace("200", "400"),  # the row names a folder that no worker sees
    "GET projects/<slug:slug>/prms/connections": ADMINS,
    "POST projects/<slug:slug>/prms/<int:prm_id>/recheck": ADMINS.replace("200", "409"),  # nothing is wrong with it
    "POST projects/<slug:slug>/prms/<int:prm_id>/retire": ADMINS,
    "POST projects/<slug:slug>/prms/<int:prm_id>/try": RESEARCHERS.replace("200", "409"),  # it is not checked
    "GET prm_trials/<int:trial_id>": RESEARCHERS_BY_ID,
    "GET projects/<slug:slug>/score_imports": RESEARCHERS,
    "POST projects/<slug:slug>/score_imports": RESEARCHERS.replace("200", "201"),
    "GET score_imports/<int:import_id>": RESEARCHERS_BY_ID,
    "POST score_imports/<int:import_id>/cancel": RESEARCHERS_BY_ID,
    "POST projects/<slug:slug>/rounds/start": RESEARCHERS.replace("200", "201"),
    "GET rounds/<int:round_id>/progress": RESEARCHERS_BY_ID,
    "POST projects/<slug:slug>/rounds/pool": RESEARCHERS,
    "GET rounds/<int:round_id>/selection": RESEARCHERS_BY_ID,
    "GET rounds/<int:round_id>/report": RESEARCHERS_BY_ID,
    "GET rounds/<int:round_id>/report.csv": RESEARCHERS_BY_ID,
    "GET projects/<slug:slug>/round_reports": RESEARCHERS,
    "POST rounds/<int:round_id>/reselect": RESEARCHERS_BY_ID,
    "POST rounds/<int:round_id>/cancel": RESEARCHERS_BY_ID,
    "POST rounds/<int:round_id>/publish": RESEARCHERS_BY_ID,
    "PUT rounds/<int:round_id>/next": RESEARCHERS_BY_ID,
    "GET projects/<slug:slug>/tasks": RESEARCHERS,
    "GET tasks/<int:task_id>": RESEARCHERS_BY_ID,
    "GET projects/<slug:slug>/traces": RESEARCHERS,
    "GET traces/<int:trace_id>": RESEARCHERS_BY_ID,
    "GET traces/<int:trace_id>/typed_steps/<int:place>": RESEARCHERS_BY_ID,
    "GET traces/<int:trace_id>/images/<str:sha256>": RESEARCHERS_BY_ID,
    # Candidates and gradings
    "GET projects/<slug:slug>/generators": RESEARCHERS,
    "POST projects/<slug:slug>/splitter/preview": RESEARCHERS,
    "GET projects/<slug:slug>/gradings": RESEARCHERS,
    "POST projects/<slug:slug>/gradings": RESEARCHERS.replace("200", "201"),
    "GET gradings/<int:grading_id>": RESEARCHERS_BY_ID,
    "GET gradings/<int:grading_id>/differences": RESEARCHERS_BY_ID,
    "POST gradings/<int:grading_id>/leave_out": RESEARCHERS_BY_ID.replace("200", "400"),  # the row names no trace of it
    "POST gradings/<int:grading_id>/apply": RESEARCHERS_BY_ID,
    "POST gradings/<int:grading_id>/cancel": "401 404 404 404 404 409 409 409",  # it is finished
    # Data in and out
    "GET import_formats": LOGGED_IN,
    "GET projects/<slug:slug>/imports": RESEARCHERS,
    "POST projects/<slug:slug>/imports": RESEARCHERS.replace("200", "201"),
    "GET imports/<int:import_id>": RESEARCHERS_BY_ID,
    "POST imports/<int:import_id>/import": RESEARCHERS_BY_ID.replace("200", "409"),  # the row was imported already
    "POST imports/<int:import_id>/cancel": RESEARCHERS_BY_ID,
    "GET imports/<int:import_id>/rows": RESEARCHERS_BY_ID,
    "POST imports/<int:import_id>/preview": RESEARCHERS_BY_ID,
    "GET export_formats": LOGGED_IN,
    "GET projects/<slug:slug>/exports": RESEARCHERS,
    "POST projects/<slug:slug>/exports": RESEARCHERS.replace("200", "201"),
    "POST projects/<slug:slug>/exports/preview": RESEARCHERS,
    "GET projects/<slug:slug>/label_sorts": RESEARCHERS,
    "GET exports/<int:export_id>": RESEARCHERS_BY_ID,
    "GET exports/<int:export_id>/download": RESEARCHERS_BY_ID,
    "GET exports/<int:export_id>/manifest": RESEARCHERS_BY_ID,
    "GET exports/<int:export_id>/row_hashes": RESEARCHERS_BY_ID,
    "GET exports/<int:export_id>/companions/<str:name>": RESEARCHERS_BY_ID,
    "GET exports/<int:export_id>/pushes": RESEARCHERS_BY_ID,
    "POST exports/<int:export_id>/push": ADMINS_BY_ID.replace("200", "400"),  # no service is named in the settings
    # Training, evaluation, promotion
    "GET projects/<slug:slug>/training_runs": RESEARCHERS,
    "POST projects/<slug:slug>/training_runs": RESEARCHERS.replace("200", "422"),  # the operator named no base
    "GET projects/<slug:slug>/training_runs/options": RESEARCHERS,
    "GET projects/<slug:slug>/training_runs/at_close": RESEARCHERS,
    "POST projects/<slug:slug>/training_runs/preview": RESEARCHERS,
    "GET training_runs/<int:run_id>": RESEARCHERS_BY_ID,
    "POST training_runs/<int:run_id>/cancel": RESEARCHERS_BY_ID,
    "GET projects/<slug:slug>/promotions": RESEARCHERS,
    "POST projects/<slug:slug>/promotions": RESEARCHERS.replace("200", "400"),  # the row names no PRM of the project
    "GET projects/<slug:slug>/promotions/news": RESEARCHERS.replace("200", "400"),  # the row names no PRM
    "POST projects/<slug:slug>/promotions/roll_back": RESEARCHERS.replace("200", "201"),
    "GET projects/<slug:slug>/hasty_labels": RESEARCHERS,
    "GET projects/<slug:slug>/agreement/disputed": RESEARCHERS.replace("200", "400"),  # the row names no pair
    "GET projects/<slug:slug>/evaluation_sets": RESEARCHERS,
    "POST projects/<slug:slug>/evaluation_sets": RESEARCHERS.replace("200", "422"),  # nothing was recorded
    "GET projects/<slug:slug>/evaluations": RESEARCHERS,
    "POST projects/<slug:slug>/evaluations": RESEARCHERS.replace("200", "400"),  # as promotions
    "GET projects/<slug:slug>/evaluations/compare": RESEARCHERS.replace("200", "400"),  # the row names none
    "GET evaluations/<int:evaluation_id>": RESEARCHERS_BY_ID,
    "POST evaluations/<int:evaluation_id>/cancel": RESEARCHERS_BY_ID,
    # Gold, screening, labeler quality
    "GET projects/<slug:slug>/gold": RESEARCHERS,
    "POST traces/<int:trace_id>/gold": ADMINS_BY_ID.replace("200", "201"),
    "GET projects/<slug:slug>/gold/counts": RESEARCHERS,
    "GET gold/<int:gold_id>": RESEARCHERS_BY_ID,
    "PATCH gold/<int:gold_id>": ADMINS_BY_ID,
    "POST gold/<int:gold_id>/retire": ADMINS_BY_ID,
    "POST gold/<int:gold_id>/restore": ADMINS_BY_ID,
    "GET projects/<slug:slug>/labeler_quality": RESEARCHERS,
    "POST projects/<slug:slug>/members/<int:member_id>/pause": ADMINS,
    "POST projects/<slug:slug>/members/<int:member_id>/unpause": ADMINS,
    "POST projects/<slug:slug>/members/<int:member_id>/admit": ADMINS,
    "POST projects/<slug:slug>/members/<int:member_id>/allow_attempt": ADMINS,
    "GET projects/<slug:slug>/my_quality": MEMBERS,
    "POST projects/<slug:slug>/screening/retry": "401 404 404 409 409 409 409 409",  # nobody failed
    "GET labels/<int:label_id>/feedback": OWNER,
    "POST labels/<int:label_id>/feedback": OWNER,
}

ROWS |= release_rows.ROWS | console_rows.ROWS | retention_rows(ADMINS)
BY_SECRET = {"GET invitations/<str:token>", "POST invitations/<str:token>/accept"}  # who holds the link may

UPLOADS = {
    "POST projects/<slug:slug>/imports": {"format": "neutral"},
    "POST projects/<slug:slug>/score_imports": {"name": "Elsewhere", "fingerprint": "sha256:1"},
}
ROWS |= source_rows(RESEARCHERS, RESEARCHERS_BY_ID, ADMINS, ADMINS_BY_ID)
BODIES |= SOURCE_BODIES
FILES = {  # handed out as files, never shown in the page's own origin
    "GET schema": "application/vnd.oai.openapi+json",
    "GET exports/<int:export_id>/download": "application/x-ndjson",
    "GET exports/<int:export_id>/row_hashes": "text/plain",
    "GET exports/<int:export_id>/companions/<str:name>": "application/octet-stream",
    "GET labels/<int:label_id>/images/<str:sha256>": "image/gif",
    "GET label_audit_items/<int:item_id>/images/<str:sha256>": "image/gif",
    "GET traces/<int:trace_id>/images/<str:sha256>": "image/gif",
    "GET releases/<int:release_id>/download": "application/zip",
    "GET releases/<int:release_id>/diff.csv": "text/csv",
    "GET projects/<slug:slug>/failures.csv": "text/csv",
    "GET rounds/<int:round_id>/report.csv": "text/csv",
    "GET projects/<slug:slug>/time.csv": "text/csv",
    "GET projects/<slug:slug>/labelers.csv": "text/csv",
    "GET projects/<slug:slug>/audit.csv": "text/csv",
    "GET projects/<slug:slug>/labels.csv": "text/csv",
    "GET projects/<slug:slug>/traces.csv": "text/csv",
    "GET projects/<slug:slug>/agreement.csv": "text/csv",
    "GET label_audits/<int:label_audit_id>/report.csv": "text/csv",
}

OPERATIONS = operations()
ADDRESSED = [operation for operation in OPERATIONS if placeholders(operation.route) and operation.key not in BY_SECRET]


def ask(browser: Browser, operation: Operation, path: str) -> HttpResponse:
    """Return the response, with all its changes to the database undone."""
    body = None if operation.method == "GET" else BODIES.get(operation.key, {})
    with transaction.atomic():
        if operation.key in UPLOADS:
            file = SimpleUploadedFile("new.jsonl", b"{}\n")
            response = browser.upload(path, {"file": file, **UPLOADS[operation.key]})
        else:
            response = browser.send(operation.method, path, body)
        transaction.set_rollback(True)
    return response


def test_every_address_of_the_api_has_a_row_and_every_row_an_address():
    assert {operation.key for operation in OPERATIONS} == set(ROWS)
    assert {len(row.split()) for row in ROWS.values()} == {len(ACTORS)}
    assert set(BODIES) <= set(ROWS)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.key)
def test_each_role_gets_the_answer_that_its_row_states(homes, operation):
    path = homes.own.path(operation)
    answers = {actor: ask(homes.browser(actor), operation, path) for actor in ACTORS}
    assert {actor: answer.status_code for actor, answer in answers.items()} == dict(
        zip(ACTORS, map(int, ROWS[operation.key].split()), strict=True)
    ), {actor: getattr(answer, "content", b"a file")[:200] for actor, answer in answers.items()}
    for answer in answers.values():
        is_a_file = answer.status_code == 200 or operation.name == "schema"
        kind = FILES.get(operation.key, "application/json") if is_a_file else "application/json"
        assert answer.headers["Content-Type"].split(";")[0] == kind
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("operation", ADDRESSED, ids=lambda operation: operation.key)
def test_a_foreign_id_and_an_id_that_does_not_exist_are_one_answer(homes, operation):
    home, other = homes.own, homes.other
    nowhere = Home(home.project, {}, dict.fromkeys(other.ids, 10**18) | {"slug": "nowhere", "token": "nothing"})
    huge = Home(home.project, {}, dict.fromkeys(other.ids, 10**30) | {"slug": "x" * 200, "token": "x" * 2000})
    browser = homes.browser("admin")
    answers = [ask(browser, operation, place.path(operation)) for place in (other, nowhere, huge)]
    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert len({answer.content for answer in answers}) == 1
    assert answers[0].json()["code"] == "not_found"


NESTED = [operation for operation in ADDRESSED if len(placeholders(operation.route)) > 1]


@pytest.mark.parametrize("operation", NESTED, ids=lambda operation: operation.key)
def test_a_foreign_id_inside_my_own_project_is_not_found(homes, operation):
    home, other = homes.own, homes.other
    mixed = Home(home.project, {}, {**other.ids, "version": 77, "slug": home.ids["slug"]})
    answer = ask(homes.browser("admin"), operation, mixed.path(operation))
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


WRITES = [operation for operation in OPERATIONS if operation.method != "GET"]
WRITING = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM|COPY|CREATE)\b|FOR UPDATE")


@pytest.mark.parametrize("operation", WRITES, ids=lambda operation: operation.key)
def test_a_write_without_the_csrf_token_is_refused_to_a_browser(homes, operation):
    for actor in ("owner", "admin"):
        browser = homes.browser(actor)
        browser.csrf = False
        answer = ask(browser, operation, homes.own.path(operation))
        assert (answer.status_code, answer.json()["code"]) == (403, "csrf_failed")


def test_a_token_that_only_reads_may_ask_and_nothing_else(homes):
    reader = Program(admin := homes.own.people["admin"], secret=create_token(admin, "reader", read_only=True)[1])
    reader.call("GET", "/api/projects")  # notes when the token was last used
    refused, wrote = set(), {}
    for operation in WRITES:
        with CaptureQueriesContext(connection) as ran, transaction.atomic():
            body = json.dumps(BODIES.get(operation.key, {}))
            path = homes.own.path(operation)
            answer = reader.generic(operation.method, path, body, content_type="application/json")
            transaction.set_rollback(True)
        if answer.status_code == 403 and answer.json()["code"] == "token_read_only":
            refused.add(operation.name)
        else:
            assert answer.status_code in (200, 400), operation
            statements = [query["sql"] or "" for query in ran.captured_queries]
            wrote[operation.name] = [one for one in statements if WRITING.search(one)]
    assert wrote == dict.fromkeys(QUESTIONS, [])
    assert refused == {operation.name for operation in WRITES} - QUESTIONS
