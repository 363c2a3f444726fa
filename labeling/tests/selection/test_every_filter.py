"""Every filter, alone and with every other, in each way of making a round, compared with a plain implementation."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import transaction

from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.trace_words import WORDS
from labeling.configs import PlainConfig, TraceFilter
from labeling.models import Project, StepScorer, Task, Trace
from labeling.queries.rounds import preview
from labeling.tests import factories
from labeling.tests.accounts import Browser
from labeling.tests.selection.pools import give_scores, make_prm, ready_round

pytestmark = pytest.mark.django_db
FIRST_ERRORS = (-1, 0, 1, 0, None, None, 1, None, -1, None)  # verdicts of the labels on each trace; None: not labeled
SCORES = (0.9, 0.1, 0.5, None, 0.2, 0.7, None, 0.4, 0.3, 0.6)
Fits = Callable[[int, Trace], bool]


class World:
    """Ten traces that differ in every filtered value; four of them are in no round and have no label."""

    def __init__(self) -> None:
        self.project: Project = factories.make_project()
        self.prm: StepScorer = make_prm()
        for number in range(len(SCORES)):
            about = {"generator": f"generator {number % 2}", "source": f"file {number % 3}"}
            [trace] = factories.make_traces(self.project, **about)
            trace.problem.subject, trace.problem.level = f"subject {number % 2}", str(number % 4)
            trace.problem.split = "held_out" if number == 7 else "train"
            trace.problem.save()
        self.traces = list(Trace.objects.filter(project=self.project).select_related("problem").order_by("pk"))
        read = [trace.pk for trace, first in zip(self.traces, FIRST_ERRORS, strict=True) if first is not None]
        factories.open_round(self.project, source="filter", filter=TraceFilter(ids=tuple(read)))
        labeler = factories.make_member(self.project)
        for _ in read:
            label = claim_next_label(labeler, self.project).label
            first = FIRST_ERRORS[self.place(label.task.trace_id)]
            assert first is not None, "only what is to be read was queued"
            ratings = [1, 1, 1] if first == -1 else [*[1] * first, -1, *[None] * (2 - first)]
            submit_label(label, factories.make_submission(ratings))
        for number, trace in enumerate(self.traces):  # labelers are asked to confirm when they contradict the outcome
            trace.outcome = ("wrong", "correct", "ungraded")[number % 3]
            trace.save()
        scored = [(trace, math.log(p)) for trace, p in zip(self.traces, SCORES, strict=True) if p is not None]
        give_scores(self.prm, scored)
        for trace in self.traces[::4]:  # last, because the factories write traces of three steps
            Trace.objects.filter(pk=trace.pk).update(steps=[*trace.steps, "Likewise."])
        self.traces = list(Trace.objects.filter(project=self.project).select_related("problem").order_by("pk"))

    def place(self, trace: int) -> int:
        """Return the trace's place among the ten."""
        return next(place for place, one in enumerate(self.traces) if one.pk == trace)

    def asked(self) -> dict[str, tuple[dict[str, Any], Fits]]:
        """Each filter, and whether a trace matches it."""
        some = (self.traces[1].pk, self.traces[2].pk, self.traces[8].pk, self.traces[9].pk)
        scorer = {"scorer": self.prm.pk}
        return {
            "outcome": ({"outcome": "wrong"}, lambda _, trace: trace.outcome == "wrong"),
            "generator": ({"generator": "generator 1"}, lambda _, trace: trace.generator == "generator 1"),
            "source": ({"source": "file 0"}, lambda _, trace: trace.source == "file 0"),
            "subject": ({"subject": "subject 0"}, lambda _, trace: trace.problem.subject == "subject 0"),
            "level": ({"level": "1"}, lambda _, trace: trace.problem.level == "1"),
            "split": ({"split": "train"}, lambda _, trace: trace.problem.split == "train"),
            "longer": ({"steps_min": 4}, lambda _, trace: len(trace.steps) >= 4),
            "shorter": ({"steps_max": 3}, lambda _, trace: len(trace.steps) <= 3),
            "unlabeled": ({"unlabeled_only": True}, lambda place, _: FIRST_ERRORS[place] is None),
            "an error": ({"first_error": "some"}, lambda place, _: (FIRST_ERRORS[place] or 0) >= 0 and _read(place)),
            "no error": ({"first_error": "none"}, lambda place, _: FIRST_ERRORS[place] == -1),
            "an early error": ({"error_max": 0}, lambda place, _: FIRST_ERRORS[place] == 0),
            "a late error": ({"error_min": 1}, lambda place, _: (FIRST_ERRORS[place] or 0) >= 1),
            "a high score": ({"score_min": 0.45, **scorer}, lambda place, _: (SCORES[place] or 0) >= 0.45),
            "a low score": ({"score_max": 0.45, **scorer}, lambda place, _: 0 < (SCORES[place] or 0) <= 0.45),
            "named": ({"ids": some}, lambda _, trace: trace.pk in some),
        }


def _read(place: int) -> bool:
    return FIRST_ERRORS[place] is not None


@pytest.fixture
def world() -> World:
    return World()


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_a_round_and_its_preview_hold_what_fits_every_filter_and_every_two_of_them(world: World) -> None:
    asked = world.asked()
    pairs = [(name, name) for name in asked]
    pairs += [pair for pair in combinations(asked, 2) if {*asked[pair[0]][0]} & {*asked[pair[1]][0]} <= {"scorer"}]
    held = 0
    for one, other in pairs:
        filter = TraceFilter(**{**asked[one][0], **asked[other][0]})
        expected = {
            trace.pk
            for place, trace in enumerate(world.traces)
            if asked[one][1](place, trace) and asked[other][1](place, trace)
        }
        config = PlainConfig.of("filter", filter=filter)
        assert preview(world.project, config)["traces"] == len(expected), (one, other)
        if not expected:
            continue
        with taken_back():
            assert _tasks(factories.open_round(world.project, source="filter", filter=filter)) == expected, (one, other)
        for size in (1, len(expected) + 1):
            with taken_back():
                drawn = _tasks(factories.open_round(world.project, source="sample", filter=filter, sample_size=size))
                assert drawn <= expected, (one, other)
                assert len(drawn) == min(size, len(expected)), (one, other)
        held += 1
    assert held > 60, "most pairs have traces"


def test_a_round_that_workers_prepare_holds_what_fits_every_filter(world: World) -> None:
    chosen = 0
    for name, (filter, fits) in world.asked().items():
        pool = [one for one, trace in enumerate(world.traces) if fits(one, trace) and trace.problem.split == "train"]
        for prm in (world.prm, None) if pool else ():
            with taken_back():
                round_ = ready_round(world.project, prm, mode="global", k=10, filter=filter)
                assert round_.staged_config.frozen.problems == len(pool), name
                free = {one for one in pool if not _read(one) and (prm is None or SCORES[one] is not None)}
                places = {world.place(trace) for trace in _tasks(round_)}
                assert places <= free, (name, prm)
                assert places or not any(world.traces[one].outcome == "wrong" for one in free), (name, prm)
                chosen += len(places)
    assert chosen > 10, "most filters leave something to choose"


def test_the_list_of_traces_its_counts_and_its_table_are_of_what_fits_every_two_filters(world: World) -> None:
    WORDS.work_off(10)
    asked = world.asked()
    del asked["named"]
    asked["unlabeled"] = ({"labeled": "no"}, asked["unlabeled"][1])
    asked["labeled"] = ({"labeled": "yes"}, lambda place, _: _read(place))
    asked["a word"] = ({"q": "likewise"}, lambda _, trace: "Likewise." in trace.steps)
    page = Browser(factories.make_member(world.project, "researcher"))
    base = f"/api/projects/{world.project.slug}/traces"
    for one, other in [("outcome", "outcome"), *combinations(asked, 2)]:
        if {*asked[one][0]} & {*asked[other][0]} - {"scorer"}:
            continue
        query = urlencode({**asked[one][0], **asked[other][0]})
        fit = [
            trace.pk
            for place, trace in enumerate(world.traces)
            if asked[one][1](place, trace) and asked[other][1](place, trace)
        ]
        for order, expected in (("oldest", fit), ("newest", fit[::-1])):
            listed = page.call("GET", f"{base}?{query}&order={order}")["results"]
            assert [trace["id"] for trace in listed] == expected, (one, other, order)
        facets = page.call("GET", f"{base}/facets?{query}")
        assert facets["total"] == len(fit), (one, other)
        [outcomes] = [facet["values"] for facet in facets["facets"] if facet["name"] == "outcome"]
        if "outcome" not in (one, other):
            assert sum(value["traces"] for value in outcomes) == len(fit), (one, other)
        head, *rows = page.send("GET", f"{base}.csv?{query}", None).content.decode().splitlines()
        assert (head.startswith("trace"), len(rows)) == (True, len(fit)), (one, other)


def _tasks(round_: Any) -> set[int]:
    return set(Task.objects.filter(round=round_).exclude(kind="gold").values_list("trace", flat=True))
