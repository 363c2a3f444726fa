"""The header while two rounds are open: it counts the round of the current label."""

import pytest
from playwright.sync_api import expect

from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_header_counts_the_round_of_the_label_on_the_desk(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 2)
    desk = open_desk(ada, project.slug)
    desk.wait_for_two_labels()
    counted = desk.page.get_by_role("img", name="0 of 2 labels of this round")
    expect(counted).to_be_visible()
    factories.make_round(project, 3, priority=5)  # which is now served first
    desk.page.reload()
    expect(desk.page.get_by_role("banner")).to_contain_text("round 1")
    expect(counted).to_be_visible()
