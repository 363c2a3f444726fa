"""Answering a dialog by keys: Enter in a line of text presses its button."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.labels import claim_next_label, submit_label
from labeling.models import LabelChange
from labeling.tests.factories import make_member, make_project, make_round, make_submission

pytestmark = [pytest.mark.django_db(transaction=True)]


def test_labels_are_tagged_with_enter(live_server: Any, log_in: Callable[..., Page]) -> None:
    project = make_project()
    make_round(project)
    label = submit_label(claim_next_label(make_member(project), project).label, make_submission())
    page = log_in(make_member(project, "admin"))
    page.goto(f"{live_server.url}/projects/{project.slug}/labels")
    page.get_by_role("table").get_by_role("checkbox", name=re.compile("^Pick")).last.check()
    page.get_by_role("button", name=re.compile("^Tag")).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Tag", exact=True).fill("look again")
    dialog.get_by_label("Tag", exact=True).press("Enter")
    expect(dialog).to_have_count(0)
    [change] = LabelChange.objects.all()
    assert (change.kind, change.tag, change.label_ids) == ("tag", "look again", [label.pk])
