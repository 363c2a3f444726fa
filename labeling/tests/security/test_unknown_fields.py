"""Unknown fields in a body are refused and named: a misspelt filter would filter nothing."""

from typing import Any
from uuid import uuid4

import pytest

from labeling.api.requests import AND_MORE, MOST_NAMED
from labeling.protocol.run_marks import MOST_ACTS
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_traces

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


@pytest.mark.parametrize("body", [{f"k{n}": 0 for n in range(200_000)}, {"x" * 1_000_000: 0}], ids=["many", "long"])
def test_of_very_many_fields_that_there_are_not_a_few_are_named_and_none_at_length(body: dict[str, int]) -> None:
    project = make_project()
    researcher = Browser(make_member(project, "researcher"))
    path = f"/api/projects/{project.slug}/exports"
    answer = researcher.send("POST", path, {"format": "neutral", **body})
    assert answer.status_code == 400
    named = answer.json()["fields"]
    assert 1 <= len(named) <= MOST_NAMED + 1
    assert len(answer.content) < 5_000
    if len(body) > 1:
        assert named[AND_MORE] == [f"There are 200,000 such keys. The first {MOST_NAMED} are listed."]


def test_a_list_that_is_too_long_is_refused_before_anything_in_it_is_looked_at() -> None:
    project = make_project()
    make_round(project, traces=1)
    annotator = Browser(make_member(project))
    label = annotator.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"]
    long: list[Any] = ["none of these is right"] * 100_000
    body = {"idempotency_key": str(uuid4()), "finish_reason": "solution", "ratings": long, "run_marks": {"acts": long}}
    fields = annotator.call("POST", f"/api/labels/{label['id']}/submit", body, status=400)["fields"]
    assert fields["ratings"] == ["Ensure this field has no more than 10000 elements."]
    assert fields["run_marks"]["acts"] == [f"Ensure this field has no more than {MOST_ACTS} elements."]
