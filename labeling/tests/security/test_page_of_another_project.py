"""A project's page gets no data of another project, whatever id its address contains: it would appear under that
name.
"""

import re
from pathlib import Path

import pytest
from django.conf import settings

from labeling.tests.security.conftest import Homes
from labeling.tests.security.test_matrix import OPERATIONS

pytestmark = pytest.mark.django_db
SOURCES = Path(settings.BASE_DIR) / "frontend" / "src"
ASKED = re.compile(r"`/api/(\w+)/\$\{\w+\}(/\w+)?[^`]*`, \{ signal, headers: hereOnly\(\) \}")


def asked_by_pages() -> set[tuple[str, str]]:
    """(what, and of it) of what pages ask for in their project alone."""
    return {found for file in SOURCES.rglob("*.ts") for found in ASKED.findall(file.read_text())}


def test_what_a_page_asks_for_by_its_id_is_not_found_from_another_project(homes: Homes) -> None:
    browser = homes.browser("superuser")
    asked = asked_by_pages()
    assert ("rounds", "") in asked
    assert ("traces", "") in asked
    assert ("problems", "/tree") in asked
    for what, of_it in asked:
        [operation] = [
            found
            for found in OPERATIONS
            if found.method == "GET" and re.fullmatch(rf"{what}/<int:\w+>{of_it}", found.route)
        ]
        path = homes.own.path(operation)
        here, elsewhere = ({"X-Stepmark-Project": home.project.slug} for home in (homes.own, homes.other))
        assert browser.get(path, headers=here).status_code == 200, path
        assert browser.get(path, headers=elsewhere).status_code == 404, path
        assert browser.get(path).status_code == 200, path
