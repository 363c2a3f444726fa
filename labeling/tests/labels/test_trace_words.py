"""Words of steps are indexed after steps are written, by whatever writer; the search says what it has not covered."""

import importlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.db.utils import DataError, OperationalError

from labeling.actions import backlog
from labeling.actions.trace_words import WORDS
from labeling.models import Problem, Project, Trace, TracesWithoutWords, TraceWords
from labeling.tests import factories
from labeling.tests.accounts import Browser
from labeling.tests.imports.files import import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)
MAKE = importlib.import_module("labeling.migrations.0094_search_in_steps").MAKE
REFUSING = """
    CREATE OR REPLACE FUNCTION labeling_step_words(steps text[]) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE
    AS $$ BEGIN RAISE data_exception; END $$
"""
ROWS = "FROM (SELECT id AS problem_id, project_id FROM labeling_problem WHERE project_id = %s) AS problem"
COLUMNS = (
    "project_id, problem_id, external_id, source, generator, sampling, steps, outcome, grader_version,"
    " splitter_version, metadata, trace_hash"
)
VALUES = "project_id, problem_id, '', '', '', '{}', ARRAY['A zebra.'], 'ungraded', '', '', '{}', sha256('zebra')"


@pytest.fixture
def project() -> Project:
    """A project without traces."""
    return factories.make_project()


@pytest.fixture
def page(project: Project) -> Browser:
    """A researcher's browser."""
    return Browser(factories.make_member(project, "researcher"))


def execute(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def found(page: Browser, project: Project, words: str) -> tuple[int, int]:
    """Return how many traces the page finds, and how many it reports as not searched yet."""
    base = f"/api/projects/{project.slug}/traces"
    facets = page.call("GET", f"{base}/facets?q={words}")
    assert facets["total"] == len(page.call("GET", f"{base}?q={words}")["results"])
    return facets["total"], facets["unsearched"]


def test_what_was_imported_is_found_once_a_worker_was_there_and_until_then_the_page_says_how_many_wait(
    project: Project, page: Browser, tmp_path: Path
) -> None:
    rows = [neutral_row(f"What is {number}?", [f"Zebra {number}.", "Done."]) for number in range(5)]
    assert import_bytes(project, lines(*rows), tmp_path).status == "succeeded"
    other = factories.make_traces(factories.make_project(), 2)
    assert found(page, project, "zebra") == (0, 5), "of this project, not of others"
    assert found(page, project, "What is 3") == (1, 5), "problems are found at once"
    assert WORDS.work_off(60) is False
    assert found(page, project, "zebra") == (5, 0)
    assert TraceWords.objects.filter(trace__in=other).count() == 2


def test_an_import_makes_no_words(project: Project, tmp_path: Path) -> None:
    execute(REFUSING)
    try:
        assert import_bytes(project, lines(neutral_row()), tmp_path).status == "succeeded"
        with pytest.raises(DataError):
            WORDS.work_off(60)
        assert TracesWithoutWords.objects.count() == 1, "a batch that fails leaves its traces waiting"
    finally:
        execute(MAKE)
    WORDS.work_off(60)
    assert TraceWords.objects.count() == 1


def insert(project: Project) -> None:
    """Write as any program may."""
    execute(f"INSERT INTO labeling_trace ({COLUMNS}) SELECT {VALUES} {ROWS}", project.pk)


def copy(project: Project) -> None:
    """Write as when a project is restored."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {VALUES} {ROWS}", [project.pk])
        [row] = cursor.fetchall()
        with cursor.copy(f"COPY labeling_trace ({COLUMNS}) FROM STDIN") as rows:
            rows.write_row([psycopg.types.json.Jsonb(value) if value == {} else value for value in row])


def change(project: Project) -> None:
    """Write as a labeler who chooses a path does."""
    [trace] = factories.make_traces(project)
    WORDS.work_off(60)
    Trace.objects.filter(pk=trace.pk).update(steps=["A zebra."])


@pytest.mark.parametrize("write", [insert, copy, change])
def test_whoever_writes_steps_has_their_words_made(
    write: Callable[[Project], None], project: Project, page: Browser
) -> None:
    Problem.objects.create(project=project, text="Which animal?", text_hash=b"a" * 32)
    write(project)
    assert found(page, project, "zebras") == (0, 1)
    WORDS.work_off(60)
    assert found(page, project, "zebras") == (1, 0)


def test_what_changes_of_a_trace_but_its_steps_makes_no_words_again(project: Project) -> None:
    [trace] = factories.make_traces(project)
    WORDS.work_off(60)
    trace.outcome = "wrong"
    trace.save()
    Trace.objects.update(steps=trace.steps)
    assert not TracesWithoutWords.objects.exists()


def test_of_a_trace_that_is_gone_neither_words_nor_a_wait_are_left(project: Project) -> None:
    first, second = factories.make_traces(project, 2)
    WORDS.work_off(60)
    execute("UPDATE labeling_trace SET steps = ARRAY['New.'] WHERE id = %s", first.pk)
    execute("DELETE FROM labeling_trace WHERE id IN (%s, %s)", first.pk, second.pk)
    assert not TraceWords.objects.exists()
    WORDS.work_off(60)
    assert not TraceWords.objects.exists()
    assert not TracesWithoutWords.objects.exists()


@pytest.mark.parametrize("waiting", [True, False])
def test_steps_that_change_while_a_worker_is_there_are_made_searchable_afterwards(
    waiting: bool, project: Project, page: Browser
) -> None:
    [trace] = factories.make_traces(project)
    if not waiting:
        WORDS.work_off(60)
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as other:
        other.execute("UPDATE labeling_trace SET steps = ARRAY['A zebra.'] WHERE id = %s", [trace.pk])
        assert WORDS.work_off(60) is False, "it waits for nobody"
        assert not TracesWithoutWords.objects.exists(), "and what it read was the old steps"
    assert found(page, project, "zebra") == (0, 1)
    WORDS.work_off(60)
    assert found(page, project, "zebra") == (1, 0)


def test_a_trace_of_more_words_than_a_vector_holds_is_found_by_its_beginning_and_holds_up_no_other(
    project: Project, page: Browser
) -> None:
    before, full, after = factories.make_traces(project, 3)
    letters = map(chr, range(0x20000, 0x20000 + 33_000))  # of four bytes; each word is indexed whole and in halves
    words = " ".join(f"{letter}\U00020000-\U00020001{letter}" for letter in letters)
    Trace.objects.update(steps=["A zebra."])
    Trace.objects.filter(pk=full.pk).update(steps=["A zebra.", words])
    with pytest.raises(OperationalError, match="too long for tsvector"):
        execute("SELECT labeling_step_words(steps) FROM labeling_trace WHERE id = %s", full.pk)
    assert WORDS.work_off(60) is False
    assert found(page, project, "zebra") == (3, 0)
    assert set(TraceWords.objects.values_list("trace", flat=True)) == {before.pk, full.pk, after.pk}


def test_one_worker_at_a_time_makes_words_and_leaves_off_after_its_turn(project: Project) -> None:
    by_two = WORDS._replace(batch=2)
    factories.make_traces(project, 5)
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as other:
        other.execute(backlog.MINE, {"table": "labeling_traceswithoutwords"})
        assert by_two.work_off(60) is False
        assert TraceWords.objects.count() == 0
    assert by_two.work_off(0) is True
    assert by_two.work_off(60) is False
    assert TraceWords.objects.count() == 5


def test_traces_in_ranges_that_overlap_are_counted_once_and_those_of_others_not(
    project: Project, page: Browser
) -> None:
    first, *_, last = factories.make_traces(project, 3)
    factories.make_traces(factories.make_project(), 2)
    WORDS.work_off(60)
    for lowest, highest in ((first.pk, last.pk), (first.pk + 1, last.pk + 100), (last.pk + 50, last.pk + 60)):
        TracesWithoutWords.objects.create(project=project, lowest=lowest, highest=highest)
    assert found(page, project, "zebra") == (0, 3)


def test_what_waited_trace_by_trace_waits_in_ranges_after_the_upgrade_also_what_was_written_meanwhile(
    project: Project, page: Browser
) -> None:
    first, second, gone, fourth = factories.make_traces(project, 4)
    [other] = factories.make_traces(factories.make_project())
    WORDS.work_off(60)
    call_command("migrate", "labeling", "0109", anyway=True, verbosity=0)
    try:
        execute("UPDATE labeling_trace SET steps = ARRAY['A zebra.'] WHERE id <> %s", gone.pk)
        writing = psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor})
        with writing, ThreadPoolExecutor() as pool:
            writing.execute("UPDATE labeling_trace SET steps = ARRAY['A zebra.'] WHERE id = %s", [gone.pk])
            call_command("migrate", "labeling", "0110", anyway=True, verbosity=0)
            execute("UPDATE labeling_trace SET steps = ARRAY['Two zebras.'] WHERE id = %s", fourth.pk)
            upgrade = pool.submit(migrate_all)
            with pytest.raises(TimeoutError):
                upgrade.result(1)
            execute("UPDATE labeling_trace SET steps = ARRAY['Ten zebras.'] WHERE id = %s", second.pk)
            writing.commit()
            upgrade.result(60)
    finally:
        call_command("migrate", anyway=True, verbosity=0)
    waiting = TracesWithoutWords.objects.order_by("project", "lowest", "highest")
    assert set(waiting.values_list("lowest", "highest")) == {
        (first.pk, fourth.pk),
        (second.pk, second.pk),
        (fourth.pk, fourth.pk),
        (other.pk, other.pk),
    }
    assert found(page, project, "zebra") == (0, 4)
    WORDS.work_off(60)
    assert found(page, project, "zebra") == (4, 0)


def migrate_all() -> None:
    """As its own process would."""
    try:
        call_command("migrate", anyway=True, verbosity=0)
    finally:
        connection.close()
