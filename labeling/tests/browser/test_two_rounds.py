"""The header while two rounds are open: it never counts one under the other's name."""

import pytest
from playwright.sync_api import expect

from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_header_names_the_round_it_counts_where_the_label_is_of_another(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 2)
    desk = open_desk(ada, project.slug)
    desk.wait_for_two_labels()
    expect(desk.page.get_by_role("img", name="0 of 2 labels of this round")).to_be_visible()
    factories.make_round(project, 3, priority=5)
    desk.page.reload()
    expect(desk.page.get_by_role("img", name="round 2: 0 of 5 labels")).to_be_visible()
    expect(desk.page.get_by_role("banner")).to_contain_text("round 1")
