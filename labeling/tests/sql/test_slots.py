"""SQL is composed from named slots, and a piece that does not fit is an error, never a different query."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from labeling.queries.sql_slots import SlotMismatch, fill, fill_from

BASE_DIR = Path(__file__).resolve().parents[3]
SQL = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|JOIN|WHERE|ORDER BY|FROM)\b")
CALLED_SO = re.compile(r"(^|_)(sql|statement|query|clause|condition|template)s?$")
IN_SQL = re.compile(r"\{\w+\}|%\(\w+\)s|\blabeling_\w+|\b(label|task|trace|problem|round|step|score)\.\w+ ")


def test_each_slot_takes_its_piece_and_other_braces_stay() -> None:
    statement = "SELECT '{}', extra #>> '{a,b}' FROM t WHERE {which} AND id = %(id)s ORDER BY {order}, {order} DESC"
    assert fill(statement, which="x = 1", order="y") == (
        "SELECT '{}', extra #>> '{a,b}' FROM t WHERE x = 1 AND id = %(id)s ORDER BY y, y DESC"
    )


def test_a_slot_without_a_piece_is_refused_by_name() -> None:
    with pytest.raises(SlotMismatch, match=r"\{which\}.*SELECT 1 FROM t"):
        fill("SELECT 1\n  FROM t WHERE {which} AND {other}", other="TRUE")


def test_a_piece_without_a_slot_is_refused_by_name() -> None:
    with pytest.raises(SlotMismatch, match=r"\{witch\}"):
        fill("SELECT 1 WHERE {which}", which="TRUE", witch="FALSE")


def test_what_stands_in_a_piece_is_no_slot_of_the_statement() -> None:
    assert fill("SELECT {what}", what="'{which}'") == "SELECT '{which}'"


def test_a_shared_vocabulary_may_hold_more_but_never_less() -> None:
    vocabulary = {"which": "TRUE", "order": "id"}
    assert fill_from(vocabulary, "SELECT 1 WHERE {which}") == "SELECT 1 WHERE TRUE"
    with pytest.raises(SlotMismatch, match=r"\{limit\}"):
        fill_from(vocabulary, "SELECT 1 WHERE {which} LIMIT {limit}")


def edited_statements(source: str, constants: dict[str, str]) -> Iterator[int]:
    """Yield the lines where a text that is SQL, by its content or its name, is edited by `.replace(` or `.format(`.

    `constants` are the texts of our constants by name.
    """
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr not in ("replace", "format") or isinstance(node.func.value, ast.Call):  # sql.SQL(…).format
            continue
        named = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        named += [part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)]
        edited = [part.id for part in ast.walk(node.func.value) if isinstance(part, ast.Name)]
        texts = [
            part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        if (
            any(SQL.search(constants.get(name, "")) for name in named)
            or any(SQL.search(text) or IN_SQL.search(text) for text in texts)
            or any(CALLED_SO.search(name) for name in edited)
        ):
            yield node.lineno


def texts_of(source: str) -> dict[str, str]:
    """Yield the text constants of a module, each with its whole text."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            parts = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
            found[node.targets[0].id] = " ".join(part for part in parts if isinstance(part, str))
    return found


def test_no_statement_is_put_together_but_by_its_slots() -> None:
    files = [
        path for room in ("labeling", "worker", "bench", "annotation_app") for path in (BASE_DIR / room).rglob("*.py")
    ]
    files = [path for path in files if "tests" not in path.relative_to(BASE_DIR).parts]
    constants = {name: text for path in files for name, text in texts_of(path.read_text()).items()}
    found = [
        f"{path.relative_to(BASE_DIR)}:{line}"
        for path in files
        for line in edited_statements(path.read_text(), constants)
    ]
    assert found == [], (
        "fill named slots instead (labeling/queries/sql_slots.py): a replacement that finds nothing is silent"
    )


@pytest.mark.parametrize(
    "line",
    [
        'LABELS.replace("submitted", "ruling")',
        "ids = PREVIEW.replace(*CHOSEN)",
        "statement.replace(half, whole)",
        'found.replace("%(project)s", "%s")',
        'text.replace("{fitting}", fitting)',
        '"SELECT 1".replace("1", "2")',
        "LABELS.format(which=which)",
    ],
)
def test_the_search_finds_every_way_statements_were_edited(line: str) -> None:
    constants = {"LABELS": "SELECT id FROM labeling_label", "CHOSEN": "label.status", "PREVIEW": "WITH x AS (SELECT 1)"}
    assert list(edited_statements(line, constants)) == [1]


def test_texts_that_are_no_sql_may_be_replaced() -> None:
    assert list(edited_statements('name.replace("_", " ").replace("\\x00", "")', {"name": ""})) == []
