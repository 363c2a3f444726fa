"""The planner's statistics about newly written rows: enough to find them among all rows, and no more."""

import pytest
from django.db import connection

from labeling.queries.planner import LEAST, note_written
from labeling.tests import factories

pytestmark = pytest.mark.django_db
KNOWN = """
    SELECT attname, array_length(histogram_bounds, 1) - 1, array_length(most_common_vals, 1)
    FROM pg_stats WHERE tablename = 'labeling_problem' AND attname IN ('id', 'project_id')
"""

WRITE = """
    INSERT INTO labeling_problem (project_id, external_id, text, split, subject, level, source, licence, metadata,
        accepted_answers, status, text_hash)
    SELECT %(project)s, '', 'How many?', 'train', '', '', '', '', '{}', '{}', 'active', sha256(number::text::bytea)
    FROM generate_series(1, %(rows)s) AS number
"""


def _write(rows: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(WRITE, {"project": factories.make_project().pk, "rows": rows})


def _note(rows: int) -> dict[str, tuple[int | None, int | None]]:
    with connection.cursor() as cursor:
        note_written(cursor, "labeling_problem", rows)
        cursor.execute(KNOWN)
        return {column: (ranges, values) for column, ranges, values in cursor.fetchall()}


def _usual() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW default_statistics_target")
        usual: str = cursor.fetchone()[0]
    return usual


def test_the_more_projects_are_as_large_the_closer_is_looked_and_never_closer_than_usual() -> None:
    for _ in range(40):
        _write(1_500)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE labeling_problem")
    _write(1_000)
    assert _note(1_000)["id"] == (41, None)
    _write(10_000)
    assert _note(10_000)["id"] == (LEAST, None)
    assert _usual() == "100"


def test_where_larger_projects_may_be_unknown_all_may_be_as_large() -> None:
    for _ in range(40):
        _write(1_500)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL default_statistics_target = 20")
        cursor.execute("ANALYZE labeling_problem")
        cursor.execute("SET LOCAL default_statistics_target TO DEFAULT")
    _write(1_000)
    assert _note(1_000)["id"] == (61, None)


def test_a_small_part_of_all_rows_is_looked_for_more_closely() -> None:
    _write(120_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE labeling_problem")
    _write(1_000)
    found = _note(1_000)
    assert (found["id"], found["project_id"][1]) == ((LEAST, None), 2)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_class SET reltuples = 1e6 WHERE oid = 'labeling_problem'::regclass")
    assert _note(1_000)["id"] == (67, None)


def test_a_project_whose_rows_were_just_written_is_known_beside_larger_ones() -> None:
    for rows in (9_000, 8_000, 7_000, 6_000, 5_000, 1_000):
        _write(rows)
        found = _note(rows)
    assert found["project_id"][1] == 6


def test_of_a_table_that_was_never_looked_at_as_much_is_learned_as_usual() -> None:
    _write(2_000)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_class SET reltuples = -1 WHERE oid = 'labeling_problem'::regclass")
    assert _note(2_000)["id"] == (100, None)
