"""A label's verdict is computed once, when it is finished, and stored in a column that everything reads."""

import ast
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from labeling.actions import labels
from labeling.actions.reviews import settle_task
from labeling.models import Label, Project, User
from labeling.queries.overview import project_overview
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.imports.files import done, import_bytes, lines, prm800k_row

CASES: list[tuple[list[int | None], str, dict[str, Any], int | None]] = [
    ([1, -1, None], "found_error", {}, 1),
    ([-1, None, None], "found_error", {}, 0),
    ([1, 0, 1], "solution", {}, -1),
    ([1, -1, None], "solution", {"confirmations": [{"code": "solution_with_error", "reason": "A slip."}]}, -1),
    ([1, -1, None], "bad_problem", {"finish_detail": {"kind": "vague", "text": "Which one?"}}, None),
    ([1, -1, None], "give_up", {"finish_detail": {"text": "Too long."}}, None),
]
each_ending = pytest.mark.parametrize(("ratings", "reason", "fields", "verdict"), CASES)


def claimed(project: Project, person: User) -> Label:
    """Submit the person's next label."""
    label = labels.claim_next_label(person, project).label
    assert label is not None
    return label


def stored(label: Label) -> int | None:
    """Return the verdict stored in the table."""
    verdict: int | None = Label.objects.values_list("verdict", flat=True).get(pk=label.pk)
    return verdict


@pytest.fixture
def project() -> Project:
    project = make_project(revise_window_hours=24)
    make_round(project, traces=3)
    return project


@pytest.mark.django_db
@each_ending
@pytest.mark.parametrize("slow", [False, True])
def test_a_submission_stores_its_verdict_on_the_fast_and_the_slow_path(
    project: Project, slow: bool, ratings: list[int | None], reason: str, fields: dict[str, Any], verdict: int | None
) -> None:
    label = claimed(project, make_member(project))
    comments = [{"step": 0, "text": "Rows of their own take the slow path."}] if slow else []
    submitted = labels.submit_label(label, make_submission(ratings, finish_reason=reason, comments=comments, **fields))
    assert (submitted.verdict, stored(label)) == (verdict, verdict)


@pytest.mark.django_db
@each_ending
def test_a_revision_has_its_own_verdict_and_what_it_replaced_keeps_the_old_one(
    project: Project, ratings: list[int | None], reason: str, fields: dict[str, Any], verdict: int | None
) -> None:
    label = claimed(project, make_member(project))
    labels.submit_label(label, make_submission([1, 1, -1]))
    revision = labels.revise_label(label, make_submission(ratings, finish_reason=reason, **fields))
    assert (stored(label), stored(revision)) == (2, verdict)


@pytest.mark.django_db
@pytest.mark.parametrize(("ratings", "reason", "fields", "verdict"), [case for case in CASES if case != CASES[3]])
def test_a_ruling_has_a_verdict_and_it_is_the_tasks(
    project: Project, ratings: list[int | None], reason: str, fields: dict[str, Any], verdict: int | None
) -> None:
    label = labels.submit_label(claimed(project, make_member(project)), make_submission([1, 1, -1]))
    detail = fields.get("finish_detail")
    by = make_member(project, "researcher")
    ruling = settle_task(label.task, by=by, ratings=ratings, finish_reason=reason, finish_detail=detail)
    label.task.refresh_from_db()
    assert (stored(ruling), label.task.verdict, stored(label)) == (verdict, verdict, 2)


@pytest.mark.django_db
@pytest.mark.parametrize("slow", [False, True])
def test_a_reopened_label_keeps_its_verdict_until_it_is_submitted_again(project: Project, slow: bool) -> None:
    ada = make_member(project)
    label = labels.submit_label(claimed(project, ada), make_submission([1, -1, None]))
    reopened = labels.reopen_label(label)
    assert (reopened.status, stored(label)) == ("open", 1)
    reopened.refresh_from_db()
    comments = [{"step": 0, "text": "Hm."}] if slow else []
    labels.submit_label(reopened, make_submission([1, 1, 1], comments=comments))
    assert stored(label) == -1


@pytest.mark.django_db
def test_a_reopened_label_that_is_left_alone_counts_again_with_its_verdict(project: Project) -> None:
    label = labels.submit_label(claimed(project, make_member(project)), make_submission([1, -1, None]))
    labels.reopen_label(label)
    Label.objects.filter(pk=label.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    label.refresh_from_db()
    assert (label.status, label.finish_reason, label.verdict) == ("submitted", "found_error", 1)


@pytest.mark.django_db
def test_unfinished_and_expired_labels_have_no_verdict(project: Project) -> None:
    label = claimed(project, make_member(project))
    assert stored(label) is None
    Label.objects.filter(pk=label.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    assert stored(label) is None


@pytest.mark.django_db(transaction=True)
def test_imported_labels_get_the_verdict_of_the_traces_own_steps(tmp_path: Path) -> None:
    project = make_project()
    found = prm800k_row("An error in step 2?", "ada")
    solved, given_up = prm800k_row("Solved?", "ada"), prm800k_row("Given up?", "ada")
    solved["label"] = {
        "steps": [
            {"completions": [done("Add.", 1)], "human_completion": None, "chosen_completion": 0},
            {"completions": [done("It is 4.", -1), done("It is 5.", 1)], "human_completion": None}
            | {"chosen_completion": 1},
        ],
        "total_time": 1,
        "finish_reason": "solution",
    }
    given_up["label"] = {**given_up["label"], "finish_reason": "give_up"}
    job = import_bytes(project, lines(found, solved, given_up), tmp_path)
    assert job.status == "succeeded", job.report
    told = Label.objects.filter(project=project).values_list("task__trace__problem__text", "verdict")
    assert dict(told) == {"An error in step 2?": 1, "Solved?": -1, "Given up?": None}


@pytest.mark.django_db(transaction=True)
def test_an_imported_error_in_none_of_the_traces_own_steps_has_no_verdict(tmp_path: Path) -> None:
    project = make_project()
    row = prm800k_row()
    row["label"]["steps"][1]["completions"] = [done("It is 5.", 0), done("It is 6.", -1)]
    job = import_bytes(project, lines(row), tmp_path)
    assert job.status == "succeeded", job.report
    label = Label.objects.get(project=project)
    assert (label.finish_reason, label.verdict) == ("found_error", None)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("reason", "verdict"),
    [("found_error", None), ("found_error", -1), ("solution", 1), ("solution", None), ("bad_problem", 1), ("", 0)],
)
def test_the_database_refuses_a_verdict_that_does_not_fit(project: Project, reason: str, verdict: int | None) -> None:
    label = labels.submit_label(claimed(project, make_member(project)), make_submission([1, -1, None]))
    with pytest.raises(IntegrityError, match=r"verdict_fits|submitted_label_is_finished"), transaction.atomic():
        Label.objects.filter(pk=label.pk).update(finish_reason=reason, verdict=verdict)


@pytest.mark.django_db
def test_my_work_and_the_overview_count_what_the_verdicts_say(project: Project) -> None:
    ada = make_member(project)
    for ratings, reason, fields, _ in (CASES[0], CASES[3], CASES[4]):
        labels.submit_label(claimed(project, ada), make_submission(ratings, finish_reason=reason, **fields))
    rows = Browser(ada).call("GET", f"/api/projects/{project.slug}/my_labels")["results"]
    assert {row["finish_reason"]: row["verdict"] for row in rows} == {
        "found_error": 1,
        "solution": -1,
        "bad_problem": None,
    }
    assert project_overview(project)["first_error_histogram"] == [{"step": 1, "n": 1}]


# Code that needs to know where a label goes wrong reads its verdict; counting ratings is another matter.
DERIVES = re.compile(r"min\(\s*(\w+\.)?step_index\s*\)|rating\s*=\s*-1")
ALLOWED = {
    "labeling/queries/training_examples.py": "counts the negative ratings that a run would learn from",
}
WORKED_OUT = re.compile(r"protocol_named\([^)]*\)\.verdict\(|\bFIRST_ERROR\.verdict\(")
WORKS_OUT = {
    "labeling/actions/label_submissions.py": "verdict_said: what is stored when a label is finished",
}
BASE_DIR = Path(__file__).resolve().parents[3]


def sources(*rooms: str) -> dict[str, str]:
    """Return our own modules, except tests and migrations, by name."""
    files = [path for room in rooms for path in (BASE_DIR / room).rglob("*.py")]
    mine = [path for path in files if not {"tests", "migrations"} & set(path.parts)]
    return {str(path.relative_to(BASE_DIR)): path.read_text() for path in mine}


def test_no_sql_derives_a_first_error_from_ratings() -> None:
    found = {name for name, text in sources("labeling", "worker").items() if DERIVES.search(text)}
    assert found == set(ALLOWED), "read labeling_label.verdict; to count ratings, say so in ALLOWED"


def test_one_place_works_out_verdicts() -> None:
    found = {name for name, text in sources("labeling", "worker").items() if WORKED_OUT.search(text)}
    assert found == set(WORKS_OUT), (
        "call label_submissions.verdict_said where a label is finished; read the column elsewhere"
    )


def test_nobody_outside_the_protocol_asks_its_rules_for_a_first_error() -> None:
    asking = [
        name
        for name, text in sources("labeling", "worker").items()
        if not name.startswith("labeling/protocol/")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("labeling.protocol")
        and "first_negative" in {alias.name for alias in node.names}
    ]
    assert asking == []


# A −1 searched for from the front. In the page, the protocol's `verdict` or `errorStep` provides it.
DERIVES_IN_THE_PAGE = re.compile(r"\b(?:indexOf|findIndex)\(\s*(?:\(?\w+\)?\s*=>\s*\w+\s*===?\s*)?-1\b")


def test_nothing_in_the_page_but_its_protocol_looks_for_a_first_error() -> None:
    room = BASE_DIR / "frontend" / "src"
    files = {str(path.relative_to(room)): path.read_text() for path in room.rglob("*.ts*") if ".test." not in path.name}
    found = {name for name, text in files.items() if DERIVES_IN_THE_PAGE.search(text)}
    assert "protocol/wholeTrace.ts" in found, "the pattern finds what it is meant to find"
    assert [name for name in sorted(found) if not name.startswith("protocol/")] == []
