"""A project's traces by where labels place the first error and by its selector's score: listed, counted, as a table,
and turned into a round.
"""

import csv
import io
import itertools
import math
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from labeling.actions import labels
from labeling.actions.label_changes import change_labels
from labeling.actions.reviews import settle_task
from labeling.actions.round_stages import move_on
from labeling.actions.step_scorer_promotions import promote_prm
from labeling.models import Label, Round, Task, Trace, User
from labeling.tests import factories
from labeling.tests.accounts import Browser
from labeling.tests.selection.pools import give_scores, make_prm

pytestmark = pytest.mark.django_db
RIGHT: list[int | None] = [1, 1, 1]
AT_0: list[int | None] = [-1, None, None]
AT_1: list[int | None] = [1, -1, None]
# Ada's and Bo's verdicts for each trace.
SAID: tuple[tuple[list[int | None], list[int | None]], ...] = (
    (RIGHT, RIGHT),
    (AT_1, AT_1),
    (RIGHT, AT_1),
    (AT_0, AT_1),
    (AT_0, AT_0),
)
SCORES = (0.9, 0.5, 0.25, 0.0, None, 0.7)


class Data:
    """Five traces labeled by two people, and one by nobody; a selector scored all but one."""

    def __init__(self) -> None:
        self.project = factories.make_project()
        self.ada, self.bo = (factories.make_member(self.project) for _ in range(2))
        self.researcher = factories.make_member(self.project, "researcher")
        factories.make_round(self.project, len(SAID), overlap=2)
        self.traces = [*Trace.objects.filter(project=self.project).order_by("pk"), *factories.make_traces(self.project)]
        for who, _ in itertools.product((0, 1), SAID):
            self.label((self.ada, self.bo)[who], who)
        self.prm = make_prm()
        scored = zip(self.traces, SCORES, strict=True)
        give_scores(self.prm, [(one, math.log(p) if p else -math.inf) for one, p in scored if p is not None])
        self.page = Browser(self.researcher)
        self.base = f"/api/projects/{self.project.slug}"

    def label(self, labeler: User, who: int) -> Label:
        """Submit the labeler's next label, rated as in SAID."""
        label = labels.claim_next_label(labeler, self.project).label
        ratings = SAID[self.traces.index(label.task.trace)][who]
        return labels.submit_label(label, factories.make_submission(ratings, idempotency_key=uuid4()))

    def promote(self) -> None:
        promote_prm(self.project, self.prm, by=self.researcher)

    def rows(self, query: str = "") -> dict[int, dict[str, Any]]:
        """By place of the trace."""
        places = {trace.pk: place for place, trace in enumerate(self.traces)}
        return {places[row["id"]]: row for row in self.page.call("GET", f"{self.base}/traces?{query}")["results"]}

    def found(self, query: str) -> list[int]:
        return list(self.rows(query))

    def facets(self, query: str = "") -> dict[str, Any]:
        found = self.page.call("GET", f"{self.base}/traces/facets?{query}")
        return {**found, **{one["name"]: {v["value"]: v["traces"] for v in one["values"]} for one in found["facets"]}}

    def task(self, place: int) -> Task:
        return Task.objects.get(trace=self.traces[place])


@pytest.fixture
def data() -> Data:
    return Data()


def test_traces_are_found_by_where_labels_say_the_first_error_is(data: Data) -> None:
    for query, places in {
        "first_error=none": [0],
        "first_error=some": [1, 4],
        "first_error=differ": [2, 3],
        "error_min=1": [1],
        "error_min=0": [1, 4],
        "error_max=0": [4],
        "error_min=2&error_max=9": [],
        "first_error=none&error_max=0": [],
        "first_error=some&labeled=no": [],
    }.items():
        assert data.found(query) == places, query
        assert data.facets(query)["total"] == len(places), query
    data.page.call("GET", f"{data.base}/traces?error_min=-1", status=400)
    data.page.call("GET", f"{data.base}/traces?first_error=odd", status=400)


def test_each_row_says_what_its_filters_ask(data: Data) -> None:
    assert {place: (row["first_error"], row["labels_differ"]) for place, row in data.rows().items()} == {
        0: (-1, False),
        1: (1, False),
        2: (None, True),
        3: (None, True),
        4: (0, False),
        5: (None, False),
    }
    assert all(row["score"] is None for row in data.rows().values()), "there is no selector"
    data.promote()
    assert [row["score"] for row in data.rows().values()] == [
        *(pytest.approx(0.9), pytest.approx(0.5), pytest.approx(0.25), 0.0, None, pytest.approx(0.7)),
    ]


def test_a_ruling_comes_before_labels_and_a_label_that_is_left_out_says_nothing(data: Data) -> None:
    settle_task(data.task(2), by=data.researcher, ratings=[1, 1, 1], finish_reason="solution")
    assert data.found("first_error=none") == [0, 2]
    [out] = Label.objects.filter(task=data.task(3), verdict=0)
    change_labels(data.project, kind="exclude", ids=[out.pk], by=data.researcher)
    assert (data.found("first_error=differ"), data.found("error_min=1")) == ([], [1, 3])


def test_of_three_labels_the_two_that_agree_count(data: Data) -> None:
    Task.objects.filter(pk=data.task(2).pk).update(labels_wanted=1)
    data.label(factories.make_member(data.project), 1)
    assert data.found("error_min=1") == [1, 2]


def test_facets_count_first_errors_beside_all_other_filters(data: Data) -> None:
    data.promote()
    assert data.facets()["first_error"] == {"none": 1, "some": 2, "differ": 2}
    for query in ("", "first_error=some", "score_min=0.3", "error_min=1", "labeled=yes&score_max=0.6", "labeled=no"):
        facets = data.facets(query)
        assert facets["total"] == len(data.found(query)), query
        for facet in facets["facets"]:
            others = "&".join(one for one in query.split("&") if not one.startswith(f"{facet['name']}="))
            for one in facet["values"]:
                asked = f"{others}&{facet['name']}={one['value']}"
                assert len(data.found(asked)) == one["traces"], asked


def test_traces_are_found_by_the_selectors_score_and_by_that_of_another(data: Data) -> None:
    said = data.page.call("GET", f"{data.base}/traces?score_min=0.5", status=400)
    assert "no selector" in said["fields"]["scorer"][0]
    assert data.facets()["scorer"] is None
    data.promote()
    assert data.facets()["scorer"]["id"] == data.prm.pk
    for query, places in {
        "score_min=0.2": [0, 1, 2, 5],
        "score_max=0.6": [1, 2, 3],
        "score_min=0.2&score_max=0.6": [1, 2],
        "score_min=0": [0, 1, 2, 3, 5],
        "score_max=0": [3],
        "score_min=0.2&first_error=some": [1],
    }.items():
        assert data.found(query) == places, query
        assert data.facets(query)["total"] == len(places), query
    other = make_prm(project=data.project, scale="log_ratio")
    give_scores(other, [(data.traces[0], -3.5), (data.traces[4], 2.0)])
    assert data.found(f"scorer={other.pk}&score_min=1.5") == [4]
    assert data.rows(f"scorer={other.pk}")[0]["score"] == -3.5, "it gives no probabilities"
    data.page.call("GET", f"{data.base}/traces?score_min=nan", status=400)
    data.page.call("GET", f"{data.base}/traces?scorer={other.pk + 99}&score_min=1", status=400)


def test_the_table_has_what_fits_and_says_it(data: Data) -> None:
    data.promote()
    answer = data.page.send("GET", f"{data.base}/traces.csv?first_error=differ&score_max=0.6", None)
    head, *rows = csv.reader(answer.content.decode().splitlines())
    told = [dict(zip(head, row, strict=True)) for row in rows]
    assert [int(row["trace"]) for row in told] == [data.traces[place].pk for place in (2, 3)]
    assert [row["first error"] for row in told] == ["differ", "differ"]
    assert (float(told[0]["score"]), told[1]["score"]) == (pytest.approx(0.25), "0.0")


def test_a_round_is_made_of_what_fits_and_keeps_the_filter(data: Data) -> None:
    asked: dict[str, Any] = {"source": "filter", "filter": {"error_max": 0, "scorer": data.prm.pk}, "by_machine": None}
    assert data.page.call("POST", f"{data.base}/rounds/preview", asked)["traces"] == 1
    asked["filter"] = {"score_min": 0.0, "score_max": 0.6, "first_error": "differ", "scorer": data.prm.pk}
    assert data.page.call("POST", f"{data.base}/rounds/preview", asked)["traces"] == 2
    made = data.page.call("POST", f"{data.base}/rounds", asked, status=201)
    assert made["config"]["filter"] == asked["filter"]
    chosen = Task.objects.filter(round=made["id"]).values_list("trace", flat=True)
    assert set(chosen) == {data.traces[2].pk, data.traces[3].pk}
    assert Round.objects.get(pk=made["id"]).plain_config.filter.score_min == 0.0


def test_the_command_makes_a_round_of_what_fits_and_a_bound_of_nought_is_one(data: Data) -> None:
    def opened(*options: str) -> list[int]:
        call_command("open_round", data.project.slug, "--plain", "filter", *options, stdout=io.StringIO())
        made = Round.objects.filter(project=data.project).latest("number")
        traces = [trace.pk for trace in data.traces]
        return sorted(traces.index(pk) for pk in Task.objects.filter(round=made).values_list("trace", flat=True))

    by = ("--scorer", data.prm.name)
    assert opened("--error-max", "0") == [4]
    assert opened("--error-min", "0") == [1, 4]
    assert opened("--first-error", "none") == [0]
    assert opened("--score-max", "0", *by) == [3]
    assert opened("--score-min", "0.2", "--score-max", "0.6", "--first-error", "differ", *by) == [2]
    with pytest.raises(CommandError, match="Choose whose scores to use"):
        opened("--score-min", "0.5")
    with pytest.raises(CommandError, match="There is no scorer Nobody's"):
        opened("--score-min", "0.5", "--scorer", "Nobody's")


@pytest.mark.parametrize("seed", range(6))
def test_a_sample_is_drawn_from_what_fits_by_whatever_seed(data: Data, seed: int) -> None:
    asked = {"source": "sample", "sample_size": 1, "seed": seed, "by_machine": None}
    fits = {"score_min": 0.2, "error_min": 0, "scorer": data.prm.pk}
    assert data.page.call("POST", f"{data.base}/rounds/preview", asked | {"filter": fits})["traces"] == 1
    made = data.page.call("POST", f"{data.base}/rounds", asked | {"filter": fits}, status=201)
    assert list(Task.objects.filter(round=made["id"]).values_list("trace", flat=True)) == [data.traces[1].pk]


def test_a_round_says_whose_scores_and_an_audit_is_drawn_by_no_labels(data: Data) -> None:
    asked: dict[str, Any] = {"source": "filter", "filter": {"score_min": 0.5}, "by_machine": None}
    said = data.page.call("POST", f"{data.base}/rounds/preview", asked, status=400)
    assert said["fields"]["filter"]["scorer"] == ["Choose whose scores to use."]
    asked = {"source": "audit", "sample_size": 2, "by_machine": {"scorer": data.prm.pk}}
    said = data.page.call("POST", f"{data.base}/rounds/preview", asked | {"filter": {"error_min": 0}}, status=400)
    assert "before anyone labeled" in said["fields"]["filter"]["first_error"][0]


def test_a_staged_rounds_pool_is_narrowed_by_both(data: Data) -> None:
    Trace.objects.filter(project=data.project).update(outcome="wrong")
    pool = {"mode": "global", "k": 1, "prm": data.prm.pk, "control_share": 0}
    for asked, traces in (
        ({}, 6),
        ({"error_min": 0}, 2),
        ({"first_error": "differ"}, 2),
        ({"score_min": 0.5, "scorer": data.prm.pk}, 3),
        ({"score_min": 0.5, "first_error": "some", "scorer": data.prm.pk}, 1),
    ):
        counted = data.page.call("POST", f"{data.base}/rounds/pool", {**pool, "filter": asked})
        assert counted["traces"] == traces, asked
    made = data.page.call("POST", f"{data.base}/rounds/start", {**pool, "filter": asked}, status=201)
    move_on(made["id"])
    assert Round.objects.get(pk=made["id"]).staged_config.frozen.problems == 1


def test_who_labels_a_trace_is_not_told_what_others_say_of_it(data: Data) -> None:
    Task.objects.filter(pk=data.task(1).pk).update(labels_wanted=1)
    held = labels.claim_next_label(data.researcher, data.project).label
    assert held.task_id == data.task(1).pk
    assert data.rows()[1]["first_error"] is None
    assert data.found("first_error=some") == [4]
    assert data.facets()["first_error"] == {"none": 1, "some": 1, "differ": 2}
    other = Browser(factories.make_member(data.project, "researcher"))
    assert len(other.call("GET", f"{data.base}/traces?first_error=some")["results"]) == 2
    data.promote()
    assert data.rows()[1]["score"] is None
    assert data.traces[1].pk not in data.found("score_min=0.4&score_max=0.6")
    pool = {"mode": "global", "k": 1, "prm": data.prm.pk, "control_share": 0}
    for asked in (
        {"error_min": 1, "error_max": 1},
        {"score_min": 0.5, "scorer": data.prm.pk},
        {"ids": [held.task.trace_id]},
    ):
        for path, body in (("rounds/preview", {"source": "filter"}), ("rounds/pool", pool)):
            said = data.page.call("POST", f"{data.base}/{path}", {**body, "filter": asked}, status=409)
            assert said["code"] == "label_held", (path, asked)
        other.call("POST", f"{data.base}/rounds/preview", {"source": "filter", "filter": asked})
