"""Letters of problems are indexed after problems are written, by whatever writer; until then their texts are read."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from labeling.actions import backlog
from labeling.actions.backlog import LAST
from labeling.actions.problem_letters import LETTERS
from labeling.models import Problem, ProblemLetters, ProblemsWithoutLetters, Project
from labeling.queries.words_asked import problems_with
from labeling.tests import factories
from labeling.tests.imports.files import import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)
COLUMNS = "project_id, external_id, text, split, subject, level, source, licence, metadata, status, text_hash"
VALUES = "%s, '', 'Which zebra?', 'train', '', '', '', '', '{}', 'active', sha256('zebra')"


@pytest.fixture
def project() -> Project:
    """A project without problems."""
    return factories.make_project()


def execute(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def other_connection() -> psycopg.Connection:
    return psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor})


def make_problem(project: Project, text: str) -> Problem:
    return Problem.objects.create(project=project, text=text, text_hash=hashlib.sha256(text.encode()).digest())


def found(project: Project, text: str) -> list[str]:
    """Return the texts of the problems that a search finds, including duplicates."""
    query, values = problems_with(text)
    with connection.cursor() as cursor:
        cursor.execute(query, {**values, "project": project.pk})
        texts = dict(Problem.objects.values_list("pk", "text"))
        return sorted(texts[problem] for (problem,) in cursor.fetchall())


def with_letters() -> list[str]:
    """Return the texts in the index."""
    return sorted(ProblemLetters.objects.values_list("text", flat=True))


def test_what_was_imported_is_found_at_once_and_has_its_letters_once_a_worker_was_there(
    project: Project, tmp_path: Path
) -> None:
    rows = [neutral_row(f"How many zebras are {number}?") for number in range(5)]
    other = factories.make_project()
    make_problem(other, "A zebra elsewhere?")
    assert import_bytes(project, lines(*rows), tmp_path).status == "succeeded"
    texts = sorted(row["problem"] for row in rows)
    assert with_letters() == [], "the import does not wait for them"
    assert found(project, "zebra") == texts
    assert LETTERS.work_off(60) is False
    assert with_letters() == ["A zebra elsewhere?", *texts]
    assert not ProblemsWithoutLetters.objects.exists()
    assert found(project, "zebra") == texts
    assert found(project, "zebras -3") == [text for text in texts if "3" not in text]


def insert(project: Project) -> None:
    """Write as any program may."""
    execute(f"INSERT INTO labeling_problem ({COLUMNS}) VALUES ({VALUES})", project.pk)


def copy(project: Project) -> None:
    """Write as when a project is restored."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {VALUES}", [project.pk])
        [row] = cursor.fetchall()
        with cursor.copy(f"COPY labeling_problem ({COLUMNS}) FROM STDIN") as rows:
            rows.write_row(["{}" if value == {} else value for value in row])


def change(project: Project) -> None:
    """Write as handwritten SQL may."""
    problem = make_problem(project, "Which lion?")
    LETTERS.work_off(60)
    Problem.objects.filter(pk=problem.pk).update(text="Which zebra?")


@pytest.mark.parametrize("write", [insert, copy, change])
def test_whoever_writes_problems_has_their_letters_made(write: Callable[[Project], None], project: Project) -> None:
    write(project)
    assert (found(project, "zebra"), found(project, "lion")) == (["Which zebra?"], [])
    LETTERS.work_off(60)
    assert with_letters() == ["Which zebra?"]
    assert (found(project, "zebra"), found(project, "lion")) == (["Which zebra?"], [])


def test_what_changes_of_a_problem_but_its_text_makes_no_letters_again(project: Project) -> None:
    problem = make_problem(project, "Which zebra?")
    LETTERS.work_off(60)
    problem.split = "held_out"
    problem.save()
    assert not ProblemsWithoutLetters.objects.exists()


def test_of_a_problem_that_is_gone_neither_letters_nor_a_wait_are_left(project: Project) -> None:
    first, second = make_problem(project, "Which zebra?"), make_problem(project, "Which lion?")
    LETTERS.work_off(60)
    Problem.objects.filter(pk=first.pk).update(text="Which other zebra?")
    execute("DELETE FROM labeling_problem WHERE id IN (%s, %s)", first.pk, second.pk)
    assert with_letters() == []
    assert LETTERS.work_off(60) is False
    assert with_letters() == []
    assert not ProblemsWithoutLetters.objects.exists()


@pytest.mark.parametrize("waiting", [True, False])
def test_a_text_that_changes_while_a_worker_is_there_is_read_until_the_next_one_was(
    waiting: bool, project: Project
) -> None:
    problem = make_problem(project, "Which lion?")
    if not waiting:
        LETTERS.work_off(60)
    with other_connection() as other:
        other.execute("UPDATE labeling_problem SET text = 'Which zebra?' WHERE id = %s", [problem.pk])
        assert LETTERS.work_off(60) is False, "it waits for nobody"
        assert found(project, "lion") == ["Which lion?"]
    assert (set(found(project, "zebra")), found(project, "lion giraffe")) == ({"Which zebra?"}, [])
    LETTERS.work_off(60)
    assert with_letters() == ["Which zebra?"]
    assert (found(project, "zebra"), found(project, "lion")) == (["Which zebra?"], [])


def test_a_large_range_is_written_in_batches_and_passes_over_what_is_others(project: Project) -> None:
    by_two = LETTERS._replace(batch=2)
    other = factories.make_project()
    for number in range(7):
        make_problem(project if number % 2 else other, f"Zebra {number}?")
    ProblemsWithoutLetters.objects.all().delete()
    lowest, highest = (Problem.objects.order_by(order).values_list("pk", flat=True)[0] for order in ("pk", "-pk"))
    ProblemsWithoutLetters.objects.create(project=project, lowest=lowest, highest=highest)
    assert by_two.work_off(0) is True
    by_two.write_batch(LAST)
    assert with_letters() == ["Zebra 3?", "Zebra 5?"], "the newest first"
    assert found(project, "zebra") == ["Zebra 1?", "Zebra 3?", "Zebra 5?"]
    assert by_two.work_off(60) is False
    assert with_letters() == ["Zebra 1?", "Zebra 3?", "Zebra 5?"]
    assert not ProblemsWithoutLetters.objects.exists()


def test_what_was_written_one_by_one_is_taken_together(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        make_problem(project, f"Zebra {number}?")
    assert ProblemsWithoutLetters.objects.count() == 5
    LETTERS.write_batch(LAST)
    assert len(with_letters()) == 5
    make_problem(project, "Zebra 5?")
    make_problem(project, "Zebra 6?")
    monkeypatch.setattr(backlog, "RANGES", 1)
    assert LETTERS.work_off(60) is False
    assert len(with_letters()) == 7


def test_one_worker_at_a_time_writes_letters(project: Project) -> None:
    make_problem(project, "Which zebra?")
    with other_connection() as other:
        other.execute(backlog.MINE, {"table": "labeling_problemswithoutletters"})
        assert LETTERS.work_off(60) is False
        assert with_letters() == []
    assert LETTERS.work_off(60) is False
    assert with_letters() == ["Which zebra?"]
