"""Selecting a round's tasks: what is written, that doing it twice changes nothing, and selecting again before
publication.
"""

import math
from dataclasses import replace

import pytest

from labeling.actions import rounds
from labeling.actions.labels import claim_next_label
from labeling.actions.round_selection import reselect_round, rules_of, select_traces
from labeling.errors import RoundNotInStatus, RoundRunning
from labeling.models import AuditEvent, Gold, Project, Round, RoundChunk, Score, Task, Trace
from labeling.queries.rounds import ORDER_KEY
from labeling.queries.sql_slots import fill
from labeling.selection import Rules, select
from labeling.tests.factories import make_member, make_project
from labeling.tests.selection.pools import (
    PoolTrace,
    candidates_of,
    finish_selecting,
    make_pool,
    make_prm,
    make_problems,
    ready_round,
    selecting_round,
)

pytestmark = pytest.mark.django_db
RULES = Rules("per_problem", k=2, seed=0, ratio=0.5)


def scored_project(problems: int = 5, samples: int = 6) -> tuple[Project, object]:
    """Create problems whose every third trace is correct; later traces are less convincing."""
    project, prm = make_project(), make_prm()
    traces = [
        PoolTrace(problem, "wrong" if n % 3 else "correct", -0.1 - n / 10)
        for problem in range(problems)
        for n in range(samples)
    ]
    make_pool(project, prm, traces)
    return project, prm


def tasks_of(round_: Round) -> list[tuple]:
    return list(Task.objects.filter(round=round_).order_by("rank").values_list("trace", "reason", "rank", "score"))


def test_each_choice_becomes_a_task_with_its_reason_rank_and_score():
    project, prm = scored_project()
    round_ = selecting_round(project, prm, k=4, control_share=0.2, seed=7, overlap=2)
    expected = select(candidates_of(project, prm), rules_of(round_)).chosen
    select_traces(round_)
    assert tasks_of(round_) == [(one.id, one.reason, one.rank, one.score) for one in expected]
    assert {reason for _, reason, _, _ in tasks_of(round_)} == {"control", "convincing_wrong", "convincing_rest"}
    assert set(Task.objects.values_list("kind", "labels_wanted")) == {("work", 2)}
    round_.refresh_from_db()
    assert round_.task_count == len(expected)


def test_the_queue_is_shuffled_by_the_rounds_seed():
    project, prm = scored_project()
    round_ = ready_round(project, prm, k=4, seed=7)
    key = fill(ORDER_KEY, id="trace_id") % "'7'"
    in_order = Task.objects.order_by("pk")
    assert list(in_order.filter(round=round_).extra(where=[f"order_key = {key}"])) == list(in_order)
    by_queue = list(Task.objects.order_by("order_key").values_list("rank", flat=True))
    assert by_queue != sorted(by_queue)


def test_selecting_twice_changes_nothing():
    project, prm = scored_project()
    round_ = selecting_round(project, prm)
    once_more = Round.objects.select_related("project", "scorer").get(pk=round_.pk)
    select_traces(round_)
    tasks = list(Task.objects.order_by("pk").values())
    select_traces(once_more)  # a worker that lost its lease does not know that another finished
    select_traces(round_)
    assert list(Task.objects.order_by("pk").values()) == tasks
    assert AuditEvent.objects.filter(action="round.select").count() == 1


def test_a_worker_that_comes_too_late_does_not_write_what_was_asked_before():
    project, prm = scored_project()
    late = selecting_round(project, prm, k=4)
    ready = finish_selecting(Round.objects.select_related("project", "scorer").get(pk=late.pk))
    reselect_round(ready, by=None, rules=replace(RULES, seed=1))
    select_traces(late)
    assert Task.objects.filter(round=ready).count() == 0
    rounds.cancel_round(ready, by=None)
    select_traces(Round.objects.select_related("project", "scorer").get(pk=late.pk))
    assert Task.objects.filter(round=ready).count() == 0


def test_selected_tasks_are_served_only_after_publication():
    project, prm = scored_project()
    labeler = make_member(project)
    round_ = ready_round(project, prm)
    assert round_.status == "ready"
    assert claim_next_label(labeler, project).empty.code == "no_open_round"
    rounds.publish_round(round_, by=None)
    assert claim_next_label(labeler, project).label.task.round_id == round_.pk


def test_the_summary_counts_the_pool_the_drops_and_the_places():
    project, prm = make_project(), make_prm()
    problems = make_problems(project, 3)
    make_pool(project, prm, [PoolTrace(0), PoolTrace(1, "ungraded")], problems)
    rounds.open_round(project, by=None)  # queues the two
    same = " ".join("abcdefghijklmnopqrst")
    scored = [PoolTrace(0, "wrong", -0.2, [same]), PoolTrace(0, "wrong", -0.3, [same + " ."])]  # nearly the same
    scored += [PoolTrace(0, "wrong", -0.4), PoolTrace(1, "correct", -0.5), PoolTrace(2, "wrong", -math.inf)]
    other = [PoolTrace(0, "wrong", None), PoolTrace(2, "ungraded", None), PoolTrace(2, "ungraded", -1.0)]
    make_pool(project, prm, scored + other, problems)
    make_pool(project, prm, [PoolTrace(0)], make_problems(project, 1, split="held_out"))
    round_ = ready_round(project, prm, k=2, ratio=0.5)
    found = round_.selection
    assert found["chosen"] == {"convincing_wrong": 2, "convincing_rest": 2}
    assert found["dropped"] == {"already_labeled_or_queued": 2, "ungraded": 2, "unscored": 1, "near_duplicate": 1}
    assert found["shortfall"] == 2
    assert found["fell_back_to_random"] is False
    assert found["pool"] == {
        "problems": 3,
        "traces": 10,
        "correct": 1,
        "wrong": 6,
        "ungraded": 3,
        "unscored": 2,
        "queued": 2,
    }
    assert found["per_problem"] == [[1, 2], [2, 1]]
    assert found["median"] == {"pool": -0.4, "selected": -0.5, "control": None}


def test_the_histogram_holds_pool_and_choice_from_the_lowest_percent_to_the_best():
    project, prm = make_project(), make_prm()
    traces = [PoolTrace(0, "correct" if n % 4 == 0 else "wrong", -n / 100) for n in range(201)]
    make_pool(project, prm, [*traces, PoolTrace(0, "wrong", -math.inf)])
    found = ready_round(project, prm, mode="global", k=20, control_share=0.25).selection
    edges, bins = found["histogram"]["edges"], found["histogram"]
    assert len(edges) == 21
    assert (edges[0], edges[-1]) == (-1.99, 0.0)  # 1 % of 202: two are lower, and counted in the first bin
    assert all(len(bins[name]) == 20 for name in ("pool_correct", "pool_wrong", "selected", "control"))
    assert [sum(bins[name]) for name in ("pool_correct", "pool_wrong", "selected", "control")] == [51, 151, 20, 5]
    for place in range(1, 20):
        inside = [one for one in traces if edges[place] <= one.score and (one.score < edges[place + 1] or place == 19)]
        assert bins["pool_correct"][place] + bins["pool_wrong"][place] == len(inside)
    assert bins["selected"][19] > bins["selected"][10] == 0


def test_histogram_and_median_leave_out_what_is_queued_or_gold():
    project, prm = make_project(), make_prm()
    problems = make_problems(project, 3)
    queued = make_pool(project, prm, [PoolTrace(n % 3, "wrong", -n / 7) for n in range(9)], problems)
    rounds.open_round(project, by=None)
    gold = make_pool(project, prm, [PoolTrace(n % 3, "correct", -1 - n / 7) for n in range(5)], problems)
    Gold.objects.bulk_create(Gold(project=project, trace=one, acceptable=[-1], source="admin") for one in gold)
    scores = [-2 - n / 7 for n in range(20)]
    make_pool(project, prm, [PoolTrace(n % 3, "wrong", score) for n, score in enumerate(scores)], problems)
    found = ready_round(project, prm, k=1).selection
    assert len(queued) == found["pool"]["queued"] == 9
    assert (found["histogram"]["edges"][0], found["histogram"]["edges"][-1]) == (scores[-1], scores[0])
    assert (sum(found["histogram"]["pool_wrong"]), sum(found["histogram"]["pool_correct"])) == (20, 0)
    assert found["median"]["pool"] == scores[10]


def test_a_pool_of_gold_alone_has_no_histogram():
    project, prm = make_project(), make_prm()
    gold = make_pool(project, prm, [PoolTrace(0, "correct", -n) for n in range(3)])
    Gold.objects.bulk_create(Gold(project=project, trace=one, acceptable=[-1], source="admin") for one in gold)
    round_ = selecting_round(project, prm)
    select_traces(round_)
    round_.refresh_from_db()
    assert (round_.task_count, round_.selection["histogram"], round_.selection["median"]["pool"]) == (0, None, None)


def test_an_unscored_round_is_random_and_says_so():
    project = make_project()
    make_pool(project, None, [PoolTrace(n % 4, "wrong") for n in range(40)])
    round_ = ready_round(project, None, k=3, control_share=0.1)
    assert round_.selection["fell_back_to_random"] is True
    assert round_.selection["chosen"] == {"random": 12}
    assert round_.selection["histogram"] is None
    assert set(Task.objects.values_list("reason", "score")) == {("random", None)}


def test_where_nothing_can_be_selected_the_drops_say_why_and_no_task_is_written():
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(0, "ungraded")] * 3)
    round_ = selecting_round(project, prm)
    select_traces(round_)
    round_.refresh_from_db()
    assert (round_.task_count, round_.selection["dropped"]) == (0, {"ungraded": 3})
    Trace.objects.filter(project=project).update(outcome="wrong")
    Score.objects.filter(project=project).update(outcome="wrong")
    select_traces(round_)  # retried after a person fixed the cause
    assert round_.task_count == 3


def test_a_round_that_is_ready_is_selected_anew_by_other_rules_and_seed():
    project, prm = scored_project()
    round_ = ready_round(project, prm, k=4)
    before = tasks_of(round_)
    reselect_round(round_, by=make_member(project, "researcher"), rules=replace(RULES, seed=9))
    assert (round_.status, round_.selection, Task.objects.filter(round=round_).count()) == ("scoring", None, 0)
    again = finish_selecting(Round.objects.select_related("project", "scorer").get(pk=round_.pk))
    assert (again.status, again.seed, again.config["k"], again.task_count) == ("ready", 9, 2, 10)
    assert tasks_of(again) != before
    assert again.config["filter"] == {}
    assert AuditEvent.objects.filter(action="round.reselect").count() == 1


def test_only_a_round_that_is_ready_is_selected_anew():
    project, prm = scored_project()
    round_ = ready_round(project, prm)
    rounds.publish_round(round_, by=None)
    with pytest.raises(RoundNotInStatus):
        reselect_round(round_, by=None, rules=RULES)
    assert Task.objects.filter(round=round_).count() == round_.task_count > 0


def test_a_round_that_found_nothing_may_be_selected_anew():
    project, prm = scored_project()
    round_ = selecting_round(project, prm)
    RoundChunk.objects.filter(round=round_).update(status="queued", error="nothing")
    Round.objects.filter(pk=round_.pk).update(status="failed", resume_to="scoring", error="nothing")
    reselect_round(round_, by=None, rules=RULES)
    assert (round_.status, round_.error) == ("scoring", "")


def test_selecting_anew_waits_for_another_round_that_workers_are_at():
    project, prm = scored_project()
    round_ = ready_round(project, prm, k=1)
    selecting_round(project, prm)
    with pytest.raises(RoundRunning):
        reselect_round(round_, by=None, rules=RULES)
    assert Task.objects.filter(round=round_).count() == round_.task_count > 0
