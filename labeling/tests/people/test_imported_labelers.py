"""Labelers from an import are shown separately from people wherever both are listed."""

from pathlib import Path

import pytest

from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)


def test_people_and_imported_labelers_are_listed_apart(tmp_path: Path) -> None:
    project = make_project()
    person = make_member(project, "admin", display_name="Zoe")
    rows = [neutral_row(first_error=first, labeler=name) for name, first in (("Ann", 0), ("Bob", 1))]
    import_bytes(project, lines(*rows), tmp_path, labels_of="Experts")
    browser = Browser(person)
    where = f"/api/projects/{project.slug}"

    def members(query: str) -> list[str]:
        return [row["user"]["display_name"] for row in browser.get(f"{where}/members{query}").json()["results"]]

    assert members("?kind=person") == ["Zoe"]
    assert sorted(members("?kind=imported")) == ["Ann", "Bob"]
    assert len(members("")) == 3
    overview = browser.get(f"{where}/overview").json()
    assert sorted((row["display_name"], row["kind"]) for row in overview["labelers"]) == [
        ("Ann", "imported"),
        ("Bob", "imported"),
    ]
    assert overview["by_day"] == [], "an import is nobody's day's work"
    agreement = browser.get(f"{where}/agreement").json()
    assert [labeler["kind"] for labeler in agreement["labelers"]] == ["imported", "imported"]
    assert browser.get(f"{where}/labelers").json()["results"] == []
