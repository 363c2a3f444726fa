"""A round in figures, and two side by side: a mark shows a direction only if the interval has it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.actions import labels, rounds
from labeling.configs.rounds import TraceFilter
from labeling.models import Label, Project, Round, Trace, User
from labeling.queries.round_figures import mark_of, round_figures
from labeling.statistics.intervals import Estimate, difference, share, unknown
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.gold.world import make_gold_items

pytestmark = pytest.mark.django_db
ESTIMATES = st.one_of(
    st.integers(0, 50).map(unknown),
    st.builds(lambda n, part: share(min(n, part), n), st.integers(1, 60), st.integers(0, 60)),
    st.floats(0, 9).map(lambda value: Estimate(value, None, None, 3, 3, "few_clusters")),
)


def label_round(round_: Round, person: User, *, wrong: int, seconds: int) -> None:
    """Label everything available; the first `wrong` traces by id have an error in the second step."""
    work = Trace.objects.filter(tasks__round=round_, tasks__kind="work").order_by("pk")
    bad = set(work.values_list("pk", flat=True)[:wrong])
    while (claimed := labels.claim_next_label(person, round_.project).label) is not None:
        found = claimed.task.trace_id in bad or claimed.task.kind == "gold"
        labels.submit_label(claimed, make_submission([1, -1, None] if found else [1, 1, 1]))
        Label.objects.filter(pk=claimed.pk).update(active_ms=seconds * 1000)


def two_rounds() -> tuple[Project, Round, Round]:
    """A slow round with errors in 2 of 12 traces; a fast one with errors in 11 of 12, each labeled twice, and with
    gold.
    """
    project = make_project(gold_per_round=6)
    slow = make_round(project, traces=12)
    Round.objects.filter(pk=slow.pk).update(overlap=1)
    label_round(slow, make_member(project), wrong=2, seconds=60)
    rounds.close_round(slow, by=None)
    make_gold_items(project, 6)
    quick = make_round(project, traces=12, source="filter", filter=TraceFilter(unlabeled_only=True), overlap=2)
    for person in (make_member(project), make_member(project)):
        label_round(quick, person, wrong=11, seconds=30)
    return project, slow, quick


def rows_of(project: Project, reader: User, one: Round, other: Round) -> dict[str, dict[str, Any]]:
    """Return values by figure."""
    path = f"/api/projects/{project.slug}/round_comparison?one={one.pk}&other={other.pk}"
    return {row["name"]: row for row in Browser(reader).call("GET", path)["rows"]}


def test_two_rounds_side_by_side_differ_where_the_interval_says_so_and_in_the_right_direction() -> None:
    project, slow, quick = two_rounds()
    reader = make_member(project, "researcher")
    rows = rows_of(project, reader, slow, quick)
    found = rows["errors_found"]
    assert (round(found["one"]["value"], 3), round(found["other"]["value"], 3)) == (0.167, 0.917)
    assert (round(found["difference"]["value"], 3), found["mark"]) == (0.75, "differs"), "no way is better"
    assert found["difference"]["low"] > 0
    assert rows["minutes_per_trace"]["one"]["value"] == rows["minutes_per_trace"]["other"]["value"] == 1
    assert rows["minutes_per_trace"]["mark"] == "cannot_tell", "all alike: no interval, so no direction"
    assert rows["yield"]["mark"] == "not_known", "no answer is graded"
    assert (rows["read_twice"]["one"]["value"], rows["read_twice"]["other"]["value"]) == (0, 1)
    assert (rows["gold"]["one"]["value"], rows["gold"]["other"]["value"], rows["gold"]["other"]["n"]) == (None, 1, 12)
    assert rows["agreement"]["other"]["value"] == 1
    back = rows_of(project, reader, quick, slow)["errors_found"]
    assert back["difference"]["value"] == -found["difference"]["value"]
    Browser(reader).call("GET", f"/api/projects/{project.slug}/round_comparison?one={slow.pk}&other=0", status=400)
    foreign = make_round(make_project())
    Browser(reader).call(
        "GET", f"/api/projects/{project.slug}/round_comparison?one={slow.pk}&other={foreign.pk}", status=404
    )


def test_a_rounds_page_tells_how_far_to_trust_it_also_while_it_is_open_and_a_plain_one(
    django_assert_max_num_queries: Any,
) -> None:
    project, _, quick = two_rounds()
    reader = make_member(project, "researcher")
    hurried = Label.objects.filter(task__round=quick, task__kind="work").first()
    assert hurried is not None
    Label.objects.filter(pk=hurried.pk).update(active_ms=100)
    page = Browser(reader).call("GET", f"/api/rounds/{quick.pk}/figures")
    with django_assert_max_num_queries(8):
        round_figures(quick)
    trust = {one["name"]: one for one in page["trust"]}
    assert (round(trust["hasty"]["share"]["value"] * 24), trust["hasty"]["share"]["n"]) == (1, 24)
    assert trust["gold"]["word"] in {"good", "cannot_tell"}
    assert trust["agreement"]["limit"] == 0.6
    assert {one["name"]: one["group"] for one in page["figures"]}["minutes_per_error"] == "cost"
    empty = Browser(reader).call("GET", f"/api/rounds/{make_round(project).pk}/figures")
    assert {one["estimate"]["value"] for one in empty["figures"]} == {None}


@given(ESTIMATES, ESTIMATES)
def test_a_difference_turns_its_sign_with_its_sides_and_a_mark_its_direction(one: Estimate, other: Estimate) -> None:
    there, back = difference(one, other, shares=False), difference(other, one, shares=False)
    if there.value is None:
        assert (back.value, mark_of(there, "higher")) == (None, "not_known")
        return
    assert back.value == -there.value
    assert (there.low is None) == (back.low is None)
    if there.low is not None and there.high is not None and back.low is not None and back.high is not None:
        assert there.low < there.high
        assert abs(there.low + back.high) < 1e-9
    turned = {"better": "worse", "worse": "better"}
    mark = mark_of(there, "higher")
    assert mark_of(back, "higher") == mark_of(there, "lower") == turned.get(mark, mark)
