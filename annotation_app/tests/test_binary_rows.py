"""Rows copied in binary equal the rows given."""

import struct
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation_app.postgres.binary_rows import TOGETHER, BinaryRows

pytestmark = pytest.mark.django_db

COLUMNS = """id bigint, whole int, small smallint, yes boolean, bytes bytea, words text, about jsonb, texts text[],
    ratings smallint[], at timestamptz, key uuid"""
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
ODD = st.sampled_from(["", "\\", "\\N", '"', "{", "a\tb\nc\rd", "NULL", "∑ 𝔽 \U0010ffff"])
TEXTS = WORDS | ODD
ROW = st.tuples(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-(2**31), 2**31 - 1),
    st.none() | st.integers(-(2**15), 2**15 - 1),
    st.none() | st.booleans(),
    st.none() | st.binary(max_size=40),
    st.none() | TEXTS,
    st.none() | st.sampled_from(['{"a": [1, null, "\\u00e9"]}', "[]", '""', "{}"]),
    st.none() | st.lists(TEXTS, max_size=5),
    st.none() | st.lists(st.none() | st.integers(-1, 1), max_size=5),
    st.none() | st.datetimes(datetime(1900, 1, 1), datetime(9998, 1, 1), timezones=st.just(UTC)),
    st.none() | st.binary(min_size=16, max_size=16),
)


def copied(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the rows from Postgres after they were copied in batches of three and one."""
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMP TABLE binary_row ({COLUMNS}, place serial)")
        waiting = BinaryRows(
            "binary_row (id, whole, small, yes, bytes, words, about, texts, ratings, at, key)", COLUMNS
        )
        for number, row in enumerate(rows, start=1):
            waiting.append(row)
            if number % 3 == 0:
                waiting.write(cursor)
                assert len(waiting) == 0
        waiting.write(cursor)
        waiting.write(cursor)  # without pending rows, nothing is copied
        read = "id, whole, small, yes, bytes, words, about::text, texts, ratings, at, uuid_send(key)"
        cursor.execute(f"SELECT {read} FROM binary_row ORDER BY place")
        found = cursor.fetchall()
        cursor.execute("DROP TABLE binary_row")
    return [tuple(bytes(value) if isinstance(value, memoryview) else value for value in row) for row in found]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ROW, max_size=8))
def test_rows_arrive_as_they_were_given(rows: list[tuple[Any, ...]]) -> None:
    def as_postgres_writes(about: str | None) -> str | None:
        return about and about.replace("\\u00e9", "é")

    assert copied(rows) == [(*row[:6], as_postgres_writes(row[6]), *row[7:]) for row in rows]


def test_more_rows_than_are_handed_over_at_once_arrive_in_their_order() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE numbered (number bigint, text text)")
        waiting = BinaryRows("numbered", "number bigint, text text")
        for number in range(TOGETHER * 2 + 7):
            waiting.append((number, "x" * number))
        waiting.write(cursor)
        cursor.execute("SELECT number, length(text) FROM numbered")
        assert cursor.fetchall() == [(number, number) for number in range(TOGETHER * 2 + 7)]


def test_a_number_that_its_type_cannot_hold_is_refused_before_anything_is_copied() -> None:
    waiting = BinaryRows("numbered", "number smallint")
    with pytest.raises(struct.error):
        waiting.append((40_000,))
    with pytest.raises(ValueError, match="zip"):
        waiting.append((1, 2))
    assert len(waiting) == 0


def test_a_type_that_is_not_known_is_refused() -> None:
    with pytest.raises(KeyError, match="numeric"):
        BinaryRows("priced", "price numeric")


def test_a_time_without_a_zone_is_refused() -> None:
    waiting = BinaryRows("dated", "at timestamptz")
    with pytest.raises(TypeError, match="offset"):
        waiting.append((datetime(2026, 1, 1),))
