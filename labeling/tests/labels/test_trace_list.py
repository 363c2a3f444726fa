"""A project's traces: found by words and facets, ordered, and changed in bulk."""

import csv
import math
from hashlib import md5
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.actions import labels, trace_words
from labeling.actions.gold import make_gold
from labeling.actions.problem_letters import LETTERS
from labeling.actions.step_scorer_promotions import promote_prm
from labeling.models import AuditEvent, Gold, Problem, Project, StepScorer, Task, Trace
from labeling.queries import trace_list
from labeling.queries.words_asked import problems_with
from labeling.tests import factories
from labeling.tests.accounts import Browser
from labeling.tests.selection.pools import give_scores, make_prm

pytestmark = pytest.mark.django_db


class Data:
    """Six traces of six problems, with different subjects, generators, outcomes and lengths; the first is labeled."""

    def __init__(self) -> None:
        self.project = factories.make_project()
        made = factories.make_traces(self.project, 1, generator="small")
        factories.open_round(self.project)
        labels.submit_label(self.claim(), factories.make_submission())
        Trace.objects.filter(pk=made[0].pk).update(outcome="wrong")
        made += factories.make_traces(self.project, 3, steps=5, generator="small", outcome="wrong", source="GSM")
        made += factories.make_traces(self.project, 2, steps=2, generator="large", outcome="correct", source="MATH")
        self.traces = made
        for place, trace in enumerate(made):
            subject = "Algebra" if place % 2 else "Geometry"
            Problem.objects.filter(pk=trace.problem_id).update(subject=subject, external_id=f"P-{place}")
        self.say(0, "We factor the polynomial into two primes.", "So x^2 - 1 = 0.", "Done.")
        self.say(1, "Factoring gives a prime number.", "It is 7.")
        self.say(2, "The circle has radius 3.")
        self.page = Browser(factories.make_member(self.project, "researcher"))
        self.base = f"/api/projects/{self.project.slug}/traces"

    def claim(self) -> Any:
        return labels.claim_next_label(factories.make_member(self.project), self.project).label

    def say(self, place: int, *steps: str) -> None:
        Trace.objects.filter(pk=self.traces[place].pk).update(steps=list(steps))

    def found(self, query: str = "") -> list[int]:
        """Return the places of the listed traces, in order, after a worker has indexed their words."""
        trace_words.WORDS.work_off(60)
        places = {trace.pk: place for place, trace in enumerate(self.traces)}
        return [places[row["id"]] for row in self.page.call("GET", f"{self.base}?{query}")["results"]]

    def facets(self, query: str = "") -> dict[str, Any]:
        trace_words.WORDS.work_off(60)
        found = self.page.call("GET", f"{self.base}/facets?{query}")
        return {**found, **{one["name"]: {v["value"]: v["traces"] for v in one["values"]} for one in found["facets"]}}


@pytest.fixture
def data() -> Data:
    return Data()


def test_words_of_steps_are_found_by_their_stem_and_problems_as_they_stand(data: Data) -> None:
    assert data.found("q=factors") == [0, 1]
    assert data.found("q=prime -polynomial") == [1]
    assert data.found('q="two primes"') == [0]
    assert data.found("q=radius 3") == [2]
    assert data.found("q=the") == [], "a word that stands everywhere finds nothing"
    assert data.found("q=p-4") == [4]
    Problem.objects.filter(pk=data.traces[3].problem_id).update(text=r"Reduce $\frac{ab}{bc}$.")
    assert data.found(r"q=FRAC{ab}{b") == [3], "whatever the case, and no word of its own"
    assert data.found("q=What _s") == [], "no pattern"
    assert data.found("q='; DROP TABLE --") == []


def test_problems_are_found_by_phrases_by_all_of_several_words_and_without_what_a_minus_leaves_out(data: Data) -> None:
    texts = ("Mike wants to replace his movie collection. Each of the movies costs $6.", "Mike likes movies_ 100%.")
    for place, text in zip((3, 4), texts, strict=True):
        Problem.objects.filter(pk=data.traces[place].problem_id).update(text=text)
    asked = {
        '"replace his movie collection"': [3],
        "“his movie”": [3],
        '"his collection"': [],
        "Mike movies": [3, 4],
        "movies MIKE": [3, 4],
        'mike "each of"': [3],
        "mike -replace": [4],
        'mike -"likes movies"': [3],
        "mike polynomial": [],
        "-mike": [0, 1, 2, 3, 4, 5],  # of steps, none of which has it
        "movies_": [4],
        "100%": [4],
        "mike 1_0": [],
        'of "the movies': [3],
        '"': [],
        "costs $6": [3],
    }
    for few in (5_000, 0):  # as a list, and as a condition
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trace_list, "MOST_LISTED", few)
            for text, places in asked.items():
                query = urlencode({"q": text})
                assert data.found(query) == places, text
                rows = data.page.send("GET", f"{data.base}.csv?{query}", None).content.decode().splitlines()
                assert len(rows) == 1 + len(places), text
                assert data.facets(query)["total"] == len(places), text


def test_words_of_problems_are_found_by_the_index(data: Data) -> None:
    Problem.objects.bulk_create(
        Problem(
            project=data.project,
            text=" ".join(f"{md5(f'{number} {place}'.encode()).hexdigest()}" for place in range(20)),
            answer="1",
            text_hash=md5(f"{number}".encode()).digest() * 2,
        )
        for number in range(3_000)
    )
    Problem.objects.filter(pk=data.traces[3].problem_id).update(text="Mike wants to replace his movie collection.")
    with connection.cursor() as cursor:
        assert LETTERS.work_off(60) is False
        cursor.execute("SELECT gin_clean_pending_list('letters_of_problems')")
        cursor.execute("ANALYZE labeling_problemletters")
        for text in ("collection", "Mike movie", '"his movie" -apples', "p-4 replace"):
            problems, values = problems_with(text)
            cursor.execute(f"EXPLAIN (FORMAT JSON) {problems}", {**values, "project": data.project.pk})
            assert "letters_of_problems" in str(cursor.fetchone()), text


def test_facets_count_what_each_value_would_find_beside_the_other_filters(data: Data) -> None:
    everything = data.facets()
    assert (everything["total"], everything["capped"], everything["unsearched"]) == (6, False, 0)
    assert everything["generator"] == {"small": 4, "large": 2}
    assert everything["labeled"] == {"yes": 1, "no": 5}
    for query in ("", "outcome=wrong", "q=factoring", "steps_min=3", "labeled=no&subject=Algebra", "split=train"):
        found = data.facets(query)
        assert found["total"] == len(data.found(query)), query
        for facet in found["facets"]:
            others = "&".join(one for one in query.split("&") if not one.startswith(f"{facet['name']}="))
            for one in facet["values"]:
                asked = f"{others}&{facet['name']}={one['value']}"
                assert len(data.found(asked)) == one["traces"], asked
    with CaptureQueriesContext(connection) as statements:
        data.facets("outcome=wrong&q=prime")
    assert sum("fitting" in (one["sql"] or "") for one in statements) == 1


def test_what_common_words_find_is_counted_up_to_a_bound_and_the_answer_says_so(
    data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_list, "MOST_FOUND", 1)
    assert data.facets("q=prime")["capped"] is True
    assert data.facets("q=radius")["capped"] is False
    assert data.found("q=prime") == [0, 1], "the list itself goes on"


def test_a_trace_counts_once_whose_steps_and_problem_both_have_the_words(
    data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in range(4):
        data.say(place, "The triangle is right.")
        Problem.objects.filter(pk=data.traces[place].problem_id).update(text="Of which triangle is that the area?")
    for most, capped in ((3, True), (4, False), (5, False)):
        monkeypatch.setattr(trace_list, "MOST_FOUND", most)
        for query, fit in (("q=triangle", 4), ("q=triangle&outcome=wrong", 4), ("q=triangle&labeled=no", 3)):
            found = data.facets(query)
            rows = data.page.send("GET", f"{data.base}.csv?{query}", None).content.decode().splitlines()
            assert len(data.found(query)) == len(rows) - 1 == fit
            assert found["capped"] is capped
            assert found["total"] <= fit if capped else found["total"] == fit, query
    monkeypatch.setattr(trace_list, "MOST_FOUND", 3)
    assert data.facets("q=triangle")["total"] == 3, "as many as are said to be counted"


def test_what_many_traces_have_is_found_as_what_few_have(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    Problem.objects.filter(pk=data.traces[1].problem_id).update(text="Is it prime?")
    Problem.objects.filter(pk=data.traces[4].problem_id).update(text="Which prime is it?")
    asked = ("q=prime", "q=prime&order=newest", "q=prime -polynomial&order=longest", "q=prime&outcome=wrong", "q=step")
    few = [data.found(query) for query in asked]
    assert few[:2] == [[0, 1, 4], [4, 1, 0]]
    monkeypatch.setattr(trace_list, "MOST_LISTED", 0)
    with CaptureQueriesContext(connection) as statements:
        assert [data.found(query) for query in asked] == few
    assert sum("its.trace_id = labeling_trace.id" in (one["sql"] or "") for one in statements) == len(asked)


def test_traces_are_listed_in_four_orders_page_by_page_without_a_gap(data: Data) -> None:
    lengths = [Trace.objects.get(pk=trace.pk).steps for trace in data.traces]
    by_length = sorted(range(6), key=lambda place: (len(lengths[place]), place))
    for order, places in {
        "": [*range(6)],
        "newest": [*reversed(range(6))],
        "shortest": by_length,
        "longest": by_length[::-1],
    }.items():
        assert data.found(f"order={order}") == places
        seen, following = [], ""
        while following is not None:
            page = data.page.call("GET", f"{data.base}?order={order}&limit=2&cursor={following}")
            seen += [row["id"] for row in page["results"]]
            following = page["next"]
        assert seen == [data.traces[place].pk for place in places]
    data.page.call("GET", f"{data.base}?order=odd", status=400)


def test_the_table_holds_every_trace_that_fits_in_the_order_asked_for(data: Data) -> None:
    answer = data.page.send("GET", f"{data.base}.csv?generator=small&order=longest", None)
    head, *rows = csv.reader(answer.content.decode().splitlines())
    told = [dict(zip(head, row, strict=True)) for row in rows]
    listed = [data.traces[place].pk for place in data.found("generator=small&order=longest")]
    assert [int(row["trace"]) for row in told] == listed
    [labeled] = [row for row in told if row["problem"] == "P-0"]
    assert (labeled["steps"], labeled["outcome"], labeled["tasks"], labeled["labels"]) == ("3", "wrong", "1", "1")
    assert (labeled["subject"], labeled["split"]) == ("Geometry", "train")


def test_picked_traces_make_a_round_of_just_them(data: Data) -> None:
    picked = [data.traces[place].pk for place in (1, 4)]
    asked = {"source": "filter", "filter": {"ids": picked}, "by_machine": None}
    preview = data.page.call("POST", f"/api/projects/{data.project.slug}/rounds/preview", asked)
    assert preview["traces"] == 2
    made = data.page.call("POST", f"/api/projects/{data.project.slug}/rounds", asked, status=201)
    assert made["config"]["filter"] == {"ids": picked}
    assert set(Task.objects.filter(round=made["id"]).values_list("trace", flat=True)) == set(picked)


def test_problems_are_held_out_with_their_traces_and_a_round_that_would_take_them_says_so(data: Data) -> None:
    ids = [data.traces[place].pk for place in (1, 2)]
    counts = {"changed": 2, "already": 0, "unknown": 0}
    assert data.page.call("POST", f"{data.base}/hold_out", {"ids": ids}) == counts
    assert data.facets()["split"] == {"train": 4, "held_out": 2}
    assert AuditEvent.objects.get(action="problems.hold_out").detail == {"problems": 2}
    said = data.page.call("POST", f"{data.base}/hold_out", {"ids": ids}, status=422)
    assert said["code"] == "no_traces_changed"
    more = {"ids": [*ids, data.traces[3].pk]}
    assert data.page.call("POST", f"{data.base}/hold_out", more) == {"changed": 1, "already": 2, "unknown": 0}
    preview = f"/api/projects/{data.project.slug}/rounds/preview"
    seen = [
        data.page.call("POST", preview, {"source": "filter", "by_machine": None, "filter": filter})
        for filter in ({}, {"split": "train"}, {"split": "held_out"}, {"ids": ids})
    ]
    assert [(one["traces"], one["held_out"]) for one in seen] == [(6, 3), (3, 0), (3, 3), (2, 2)]
    foreign = factories.make_traces(factories.make_project())
    data.page.call("POST", f"{data.base}/hold_out", {"ids": [foreign[0].pk]}, status=422)
    assert Problem.objects.get(pk=foreign[0].problem_id).split == "train"


def test_an_admin_makes_gold_of_what_files_say_and_the_rest_stays(data: Data) -> None:
    person = factories.make_member(data.project, "admin")
    admin = Browser(person)
    Trace.objects.filter(pk=data.traces[1].pk).update(recorded_first_error=0)
    Trace.objects.filter(pk=data.traces[4].pk).update(recorded_first_error=-1)
    ids = [trace.pk for trace in data.traces]
    make_gold(data.traces[0], acceptable=[-1], by=person)
    foreign = [trace.pk for trace in factories.make_traces(factories.make_project())]
    counts = {"changed": 2, "already": 1, "unknown": len(ids) - 3}
    assert admin.call("POST", f"{data.base}/gold", {"ids": ids + foreign}) == counts
    made = dict(Gold.objects.exclude(trace=data.traces[0]).values_list("trace", "acceptable"))
    assert made == {data.traces[1].pk: [0], data.traces[4].pk: [-1]}
    assert admin.call("POST", f"{data.base}/gold", {"ids": ids}, status=422)["code"] == "no_traces_changed"
    data.page.call("POST", f"{data.base}/gold", {"ids": ids}, status=403)


def test_a_trace_longer_than_a_vector_holds_is_kept_and_found_by_its_beginning(data: Data) -> None:
    long = " ".join(f"word{number}" for number in range(200_000))
    data.say(5, "It begins with zebras.", long)
    assert data.found("q=zebra") == [5]
    assert data.found("q=word199999") == []


def test_an_archived_project_is_left_as_it_is(data: Data) -> None:
    Project.objects.filter(pk=data.project.pk).update(status="archived")
    ids = [data.traces[1].pk]
    assert data.page.call("POST", f"{data.base}/hold_out", {"ids": ids}, status=409)["code"] == "project_archived"


def scored_by(data: Data, name: str, **scores: float) -> StepScorer:
    """Create a PRM that has scored the traces at these places."""
    made = make_prm(name)
    traces = Trace.objects.in_bulk(trace.pk for trace in data.traces)
    give_scores(made, [(traces[data.traces[int(place[2:])].pk], score) for place, score in scores.items()])
    return made


def test_by_score_the_most_convincing_of_an_outcome_come_first(data: Data) -> None:
    faults = data.page.call("GET", f"{data.base}?order=score&outcome=wrong", status=400)["fields"]
    assert faults["scorer"][0].startswith("The project has no selector.")
    selector = scored_by(data, "Selector", at0=-2.0, at1=-0.1, at3=-0.1, at4=-0.3, at5=math.nan)
    other = scored_by(data, "Other", at2=-0.1)
    promote_prm(data.project, selector, by=factories.make_user())
    faults = data.page.call("GET", f"{data.base}?order=score", status=400)["fields"]
    assert faults == {"order": ["To sort by score, choose one outcome."]}
    assert data.found("order=score&outcome=wrong") == [3, 1, 0], "without the one that has no score"
    assert data.found("order=score&outcome=correct") == [4], "without the one whose score is no number"
    assert data.found("order=score&outcome=wrong&labeled=no") == [3, 1]
    assert data.found(f"order=score&outcome=wrong&scorer={other.pk}") == [2]
    first = data.page.call("GET", f"{data.base}?order=score&outcome=wrong&limit=1")
    second = data.page.call("GET", f"{data.base}?order=score&outcome=wrong&limit=1&cursor={first['next']}")
    assert [row["id"] for row in first["results"] + second["results"]] == [data.traces[place].pk for place in (3, 1)]
    table = csv.DictReader(data.page.get(f"{data.base}.csv?order=score&outcome=wrong").content.decode().splitlines())
    assert [int(row["trace"]) for row in table] == [data.traces[place].pk for place in (3, 1, 0)]


def test_where_a_trace_stands_by_its_score_is_not_told_to_who_labels_it(data: Data) -> None:
    selector = scored_by(data, "Selector", **{f"at{place}": -0.1 * place for place in range(6)})
    promote_prm(data.project, selector, by=factories.make_user())
    by_score = {"wrong": [0, 1, 2, 3], "correct": [4, 5]}
    assert {outcome: data.found(f"order=score&outcome={outcome}") for outcome in by_score} == by_score
    factories.open_round(data.project)
    reader = factories.make_member(data.project, "researcher")
    held = [trace.pk for trace in data.traces].index(labels.claim_next_label(reader, data.project).label.task.trace_id)
    data.page = Browser(reader)
    assert {outcome: data.found(f"order=score&outcome={outcome}") for outcome in by_score} == {
        outcome: [place for place in places if place != held] for outcome, places in by_score.items()
    }
