"""A problem's traces as one tree in the API: counts, labels of people and of machines, and its limits."""

import math
import random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.actions import labels
from labeling.configs import TraceFilter
from labeling.models import Project, Score, StepScorer, Trace
from labeling.queries.problem_tree import MOST_TRACES, get_problem_tree
from labeling.tests import factories
from labeling.tests.accounts import Browser
from labeling.tests.selection.pools import PoolTrace, give_scores, make_pool, make_prm, make_problems

pytestmark = pytest.mark.django_db

HALF, SAME_HALF = r"So it is $\dfrac12$.", r"So it is  \(\frac{1}{2}\)."


def make_five(project: Project) -> list[Trace]:
    """Create two traces that begin alike and part at the third step, one that ends within them, and two others."""
    steps = [
        ["Let x be it.", HALF, "Double it: 1."],
        ["Let x be it.", SAME_HALF, "Square it: 1/4."],
        ["Let x be it.", HALF],
        ["Guess.", "It is 1."],
        ["Draw a circle."],
    ]
    made = factories.make_siblings(project, *steps)
    for trace, outcome, answer in zip(
        made, ("correct", "wrong", "wrong", "correct", "ungraded"), ("1", "1/4", r"\frac14", "1", None), strict=True
    ):
        Trace.objects.filter(pk=trace.pk).update(outcome=outcome, final_answer=answer)
    return made


def mark(kind: str, trace: Trace, first_error: int | None, **evidence: Any) -> StepScorer:
    scorer, _ = StepScorer.objects.get_or_create(kind=kind, name=kind, defaults={"spec": {}, "status": "ready"})
    Score.objects.create(
        scorer=scorer,
        trace=trace,
        project_id=trace.project_id,
        problem_id=trace.problem_id,
        outcome=trace.outcome,
        draw=trace.pk,
        evidence={"first_error": first_error, **evidence},
    )
    return scorer


class Desk:
    def __init__(self) -> None:
        self.project = factories.make_project()
        self.page = Browser(factories.make_member(self.project, "researcher"))

    def tree(self, problem: int, query: str = "", status: int = 200) -> Any:
        return self.page.call("GET", f"/api/problems/{problem}/tree{query}", status=status)

    def label(self, traces: list[Trace], *said: list[int | None]) -> None:
        """Open a round of these traces in which one person rates each as given."""
        by_trace = {trace.pk: ratings for trace, ratings in zip(traces, said, strict=True)}
        labeler = factories.make_member(self.project)
        factories.open_round(self.project, source="filter", filter=TraceFilter(ids=tuple(by_trace)))
        for _ in by_trace:
            label = labels.claim_next_label(labeler, self.project).label
            sent = factories.make_submission(by_trace[label.task.trace_id], confirmations=CONFIRMED)
            labels.submit_label(label, sent)


CONFIRMED = [
    {"code": code, "reason": "So it is."} for code in ("solution_but_answer_wrong", "error_but_answer_correct")
]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def shape(tree: Any) -> list[tuple[Any, ...]]:
    """Return for each branch: parent, first step, steps, traces."""
    return [(one["parent"], one["start"], one["length"], one["traces"]) for one in tree["branches"]]


def test_shared_steps_stand_once_and_answers_at_the_leaves(desk: Desk) -> None:
    one, other, shorter, guess, circle = make_five(desk.project)
    tree = desk.tree(one.problem_id)
    assert shape(tree) == [(None, 0, 2, 3), (0, 2, 1, 1), (0, 2, 1, 1), (None, 0, 2, 1), (None, 0, 1, 1)]
    assert (tree["total"], tree["shown"], tree["project"]) == (5, 5, desk.project.slug)
    assert [step["text"] for step in tree["branches"][0]["steps"]] == ["Let x be it.", HALF]
    assert tree["branches"][0]["answers"] == [
        {"answer": r"\frac14", "outcomes": {"correct": 0, "wrong": 1, "ungraded": 0}, "traces": [shorter.pk]}
    ]
    assert [(one["answer"], one["traces"]) for one in tree["answers"]] == [
        ("1", [one.pk, guess.pk]),
        ("1/4", [other.pk, shorter.pk]),
        (None, [circle.pk]),
    ]
    assert tree["outcomes"] == {"correct": 2, "wrong": 2, "ungraded": 1}
    assert tree["right_share"]["value"] == 0.5
    assert tree["right_share"]["no_interval"] == "few_clusters"
    assert tree["scorer"] is tree["first_dispute"] is None
    assert desk.tree(circle.problem_id + 10_000, status=404)["code"] == "not_found"


def test_scores_labels_and_rollouts_are_summed_over_the_traces_of_a_branch(desk: Desk) -> None:
    one, other, shorter, *_ = made = make_five(desk.project)
    prm, older = make_prm("new"), make_prm("old")
    give_scores(prm, [(one, math.log(0.4)), (shorter, math.log(0.2))])
    give_scores(older, [(other, math.log(0.3))])
    prm, older = max(prm, older, key=lambda scorer: scorer.pk), min(prm, older, key=lambda scorer: scorer.pk)
    desk.label([one, other], [1, 1, 1], [1, -1, None])
    rollouts = mark("rollouts", one, 2, hits=[3, 2, 1, 4], n=[4, 4, 4, 4], own_answer=True)
    mark("rollouts", other, 1, hits=[3, None, 0, 0], n=[4, None, 4, 4])
    judge = mark("judge", shorter, -1)
    Trace.objects.filter(pk=shorter.pk).update(recorded_first_error=0)
    tree = desk.tree(one.problem_id, f"?scorer={StepScorer.objects.get(name='new').pk}")
    first, second = tree["branches"][0]["steps"]
    assert (first["score"], second["score"]["least"]) == ({"mean": 1.0, "least": 1.0, "n": 2}, pytest.approx(0.2))
    assert first["people"] == {"negative": 0, "neutral": 0, "positive": 2, "first_errors": 0}
    assert second["people"] == {"negative": 1, "neutral": 0, "positive": 1, "first_errors": 1}
    assert first["sources"] == [
        {"source": rollouts.pk, "right": 2, "wrong": 0},
        {"source": judge.pk, "right": 1, "wrong": 0},
        {"source": None, "right": 0, "wrong": 1},
    ]
    assert second["sources"][0] == {"source": rollouts.pk, "right": 1, "wrong": 1}
    assert first["rollouts"] == [{"source": rollouts.pk, "hits": 2, "n": 4}]
    assert second["rollouts"] == [{"source": rollouts.pk, "hits": 1, "n": 8}]
    assert (first["dispute"], first["first"]) == ("people_and_sources", True), "the file against people"
    assert (second["dispute"], second["first"]) == ("people", False)
    assert tree["first_dispute"] == {"branch": 0, "place": 0}
    tail = next(row for row in tree["branches"] if row["answers"] and row["answers"][0]["traces"] == [one.pk])
    assert (tail["right_share"], tail["steps"][0]["rollouts"]) == (None, []), "its own answer is no rollout"
    assert {row["name"]: row["kind"] for row in tree["sources"]} == {"rollouts": "rollouts", "judge": "judge"}
    assert [row["name"] for row in tree["scorers"]] == [prm.name, older.name]
    assert desk.tree(made[0].problem_id)["scorer"]["name"] == prm.name
    assert "scorer" in desk.tree(one.problem_id, f"?scorer={judge.pk}", status=400)["fields"]


def test_a_first_error_of_checks_says_nothing_of_steps_that_they_could_not_check(desk: Desk) -> None:
    shared = ["6 * 4 = 24", "It is so.", "24 + 1 = 25", "25 + 1 = 27"]
    trace, _ = factories.make_siblings(desk.project, [*shared, "Done."], [*shared, "End."])
    numbers = [1.0, None, 1.0, 0.0, None]
    makers = {kind: mark(kind, trace, 3) for kind in ("verifier", "formal", "judge")}
    makers["weakest"] = mark("consensus", trace, 3, rule="weakest")
    Score.objects.filter(trace=trace).exclude(scorer=makers["judge"]).update(steps=numbers)
    Score.objects.filter(trace=trace, scorer=makers["judge"]).update(steps=[None] * 5)
    [root, *_] = desk.tree(trace.problem_id)["branches"]
    said = [{one["source"]: (one["right"], one["wrong"]) for one in step["sources"]} for step in root["steps"]]
    for kind in ("verifier", "formal", "weakest"):
        assert [step.get(makers[kind].pk) for step in said] == [(1, 0), None, (1, 0), (0, 1)], kind
    assert [step.get(makers["judge"].pk) for step in said] == [(1, 0), (1, 0), (1, 0), (0, 1)], "it read all of them"


def test_labels_that_do_not_count_and_traces_that_nobody_could_be_given_are_left_out(desk: Desk) -> None:
    one, other, *rest = make_five(desk.project)
    desk.label([one, other], [1, 1, -1], [1, 1, -1])
    one.tasks.get().labels.update(excluded=True)
    other.tasks.get().labels.update(edited_after_reveal=True)
    for trace in rest[1:]:
        Trace.objects.filter(pk=trace.pk).update(replaced_by=one if trace == rest[1] else other)
    tree = desk.tree(one.problem_id)
    assert (tree["total"], tree["shown"]) == (3, 3)
    assert not any(any(step["people"].values()) for branch in tree["branches"] for step in branch["steps"])


def test_a_problem_without_traces_and_one_with_a_single_trace_say_so(desk: Desk) -> None:
    [empty] = make_problems(desk.project, 1)
    tree = desk.tree(empty.pk)
    assert (tree["total"], tree["branches"], tree["answers"], tree["right_share"]["value"]) == (0, [], [], None)
    [trace] = factories.make_traces(desk.project, steps=4)
    tree = desk.tree(trace.problem_id)
    assert shape(tree) == [(None, 0, 4, 1)]
    assert [step["place"] for step in tree["branches"][0]["steps"]] == [0], "the rest is on the trace's page"


def make_samples(project: Project, count: int, *, steps: int = 8) -> list[Trace]:
    """Create traces as a generator writes them: common beginnings that then part."""
    chance = random.Random(7)

    def written(number: int) -> list[str]:
        way = [chance.choice(["a", "a", "a", "b", "c", "d"]) for _ in range(3)]
        shared = [f"Step {place}: {part}, so $x_{place} = {part}^{place}$." for place, part in enumerate(way)]
        return [*shared, *(f"My {place}. own step, number {number}." for place in range(steps - 3))]

    pool = [PoolTrace(0, chance.choice(["correct", "wrong"]), -chance.random(), written(n)) for n in range(count)]
    return make_pool(project, make_prm(), pool)


def test_a_thousand_traces_take_as_many_queries_as_five_and_more_are_drawn_at_random(desk: Desk) -> None:
    few, many = make_samples(desk.project, 5), make_samples(desk.project, MOST_TRACES + 20)
    counts = []
    for traces in (few, many):
        desk.label(traces[:5], *[[1] * 8] * 5)  # twenty traces are left out, and this may be one of them
        with CaptureQueriesContext(connection) as asked:
            tree = desk.tree(traces[0].problem_id)
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 15
    assert (tree["total"], tree["shown"]) == (MOST_TRACES + 20, MOST_TRACES)
    assert sum(row["traces"] for row in tree["branches"] if row["parent"] is None) == MOST_TRACES
    ends = {pk for row in tree["branches"] for answer in row["answers"] for pk in answer["traces"]}
    missing = sorted({trace.pk for trace in many} - ends)
    assert len(missing) == 20
    assert missing != [trace.pk for trace in many[-20:]], "drawn, not the last ones"
    named = desk.tree(traces[0].problem_id, f"?trace={missing[0]}&other={missing[1]}")
    ends = {pk for row in named["branches"] for answer in row["answers"] for pk in answer["traces"]}
    assert set(missing[:2]) < ends
    assert named["shown"] == MOST_TRACES
    assert desk.tree(traces[0].problem_id) == tree, "always the same ones"


def test_only_the_shown_traces_are_read(desk: Desk) -> None:
    traces = make_samples(desk.project, 5)
    user = factories.make_member(desk.project, "researcher")
    found = get_problem_tree(user, traces[0].problem_id, most=3)
    assert (found.total, found.shown, sum(found.outcomes)) == (5, 3, 3)
