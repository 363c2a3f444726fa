"""What a body holds beyond its fields is refused and named: a filter that is misspelt would filter nothing."""

from typing import Any

import pytest

from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_traces

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("path", "body", "place", "says"),
    [
        ("exports", {"format": "neutral", "filters": {"round": [1]}}, ["filters", "round"], "Did you mean rounds?"),
        ("exports", {"format": "neutral", "gzipp": True}, ["gzipp"], "Did you mean gzip?"),
        ("rounds", {"source": "all", "overlaps": 3}, ["overlaps"], "Did you mean overlap?"),
        ("rounds", {"source": "all", "filter": {"nonsense": 1}}, ["filter", "nonsense"], "no such field"),
        ("training_runs/preview", {"round_ids": [1], "switch": {}}, ["switch"], "no such field"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_field_that_there_is_not_is_named_with_the_one_that_was_meant(
    path: str, body: dict[str, Any], place: list[str], says: str
) -> None:
    project = make_project()
    make_traces(project, 2)
    researcher = Browser(make_member(project, "researcher"))
    found: Any = researcher.call("POST", f"/api/projects/{project.slug}/{path}", body, status=400)["fields"]
    for name in place:
        found = found[name]
    assert says in str(found)
    assert project.exports.count() == project.rounds.count() == 0


def test_a_page_of_another_version_may_say_more_of_a_label_than_this_one_knows() -> None:
    project = make_project()
    annotator = Browser(make_member(project))
    assert annotator.call("POST", f"/api/projects/{project.slug}/labels/claim", {"of_tomorrow": 1})["empty"]
