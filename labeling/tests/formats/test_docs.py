"""docs/formats.md matches the registries: each of its tables equals the one generated here."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.conf import settings

from labeling.formats.export_config import ROLES, STATEMENTS
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.exports.export_format import ExportFormat, Switch
from labeling.formats.imports import IMPORT_FORMATS

DOCS = Path(settings.BASE_DIR) / "docs/formats.md"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table as on the page, with the blank line after it."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines) + "\n"


def choices(switch: Switch) -> str:
    said = ", ".join(f"`{choice.value}` ({choice.means})" for choice in switch.choices)
    return f"always {said}" if switch.is_fixed else said


def switches(format: ExportFormat) -> str:
    rows = ([f"`{switch.name}`", switch.title, choices(switch)] for switch in format.switches)
    return table([f"switch of `{format.name}`", "about", "choices, the default first"], rows)


def formats() -> str:
    rows = ([f"`{one.name}`", one.means, f"a {one.group}", one.loses] for one in EXPORT_FORMATS.values())
    return table(["format", "is for", "rows of", "loses"], rows)


def files() -> str:
    rows = (
        [
            f"`{one.name}`",
            one.means,
            one.looks_like,
            one.leaves,
            " or ".join(filter(None, (one.marks_by, one.shares_by))),
        ]
        + ["always" if one.always_held_out else "as rows say"]
        for one in IMPORT_FORMATS.values()
    )
    return table(["format", "what is in it", "rows have", "not read, or changed", "marks by", "held out"], rows)


def entries() -> str:
    roles, statements = (", ".join(f"`{name}`" for name in names) for names in (ROLES, STATEMENTS))
    return f"Roles: {roles}. Statements: {statements}."


TABLES = [files(), formats(), *(switches(format) for format in EXPORT_FORMATS.values())]


@pytest.mark.parametrize("expected", TABLES, ids=lambda text: text.split(" |")[0].strip("| "))
def test_a_table_of_the_docs_is_what_the_registry_holds(expected: str) -> None:
    assert expected in DOCS.read_text(), f"Put this table into {DOCS.name}:\n{expected}"


@pytest.mark.parametrize("format", EXPORT_FORMATS.values(), ids=lambda format: format.name)
def test_the_docs_say_what_a_format_carries_and_who_read_it_when(format: ExportFormat) -> None:
    carries = ", ".join(f"`{column}`" for column in format.columns)
    row = re.escape(f"| `{format.name}` | {carries} | ") + r"[^|\n]+ \| 20\d\d-\d\d-\d\d \|\n"
    assert re.search(row, DOCS.read_text()), f"{format.name} carries {carries}"


def test_the_docs_name_every_role_and_statement() -> None:
    assert entries() in " ".join(DOCS.read_text().split())


def test_the_docs_have_a_section_for_every_format_and_no_other() -> None:
    way_in, way_out = DOCS.read_text().split("\n## Out\n")
    assert set(re.findall(r"^### `(\w+)`", way_in, re.M)) == set(IMPORT_FORMATS)
    assert set(re.findall(r"^### `(\w+)`", way_out, re.M)) == set(EXPORT_FORMATS)
