"""The places of gold in a labeler's round: the law of the positions, and the queue's compliance with it."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.actions import labels, rounds
from labeling.actions.gold_plans import spread_gold
from labeling.actions.notices import watch_rounds
from labeling.actions.problem_withdrawals import mark_bad_problem
from labeling.models import GoldPlan, Label, Task, User
from labeling.quality.gold_schedule import Spread, draw_for, fair_share, positions_of, spread_again
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.gold.world import make_gold_items, plan_gold, project_with_gold


@given(st.integers(0, 50), st.integers(0, 10_000), st.integers())
def test_places_ascend_differ_and_lie_within_the_share(gold, share, seed):
    positions = positions_of(gold, share, random.Random(seed))
    assert len(positions) == len(set(positions)) == gold
    assert positions == sorted(positions)
    assert all(0 <= place < gold + share for place in positions)


def test_each_place_is_as_likely_as_any_other():
    drawn = [place for seed in range(4000) for place in positions_of(2, 8, draw_for("secret", seed))]
    counts = [drawn.count(place) for place in range(10)]
    assert min(counts) > 700, "4,000 draws of 2 of 10 positions put 800 in each; 700 is four deviations below"
    assert max(counts) < 900


def test_a_share_is_what_remains_for_each_and_nobody_does_a_task_twice():
    assert [fair_share(200, 100, 5), fair_share(300, 100, 2), fair_share(7, 7, 3)] == [40, 100, 2]
    assert fair_share(7, 7, 0) == 7
    assert fair_share(120, 200, 2, own=39, others=19) == 80, "who does two in three will do two in three"


@given(st.data())
def test_spread_anew_gold_keeps_its_order_and_stays_among_the_tasks_to_come(data):
    share, gold = data.draw(st.integers(1, 300)), data.draw(st.integers(1, 20))
    positions = positions_of(gold, share, random.Random(data.draw(st.integers())))
    served = data.draw(st.integers(0, gold + share - 1))
    behind = sum(place < served for place in positions)
    plan = Spread(positions, behind, served, until=gold + share)
    until = served + data.draw(st.integers(0, 500))
    again = plan.again(until)
    assert again[:behind] == positions[:behind]
    assert again == sorted(again)
    assert all(served <= place < max(until, served + plan.gold_left) for place in again[behind:])


@pytest.mark.parametrize("paces", [[1] * 6, [1, 1.25, 1.5, 1.75, 2, 2.25]], ids=["one pace", "several paces"])
def test_gold_comes_as_often_late_as_early_whatever_the_pace_of_a_labeler(paces):
    played = [_simulated_round(paces, random.Random(seed)) for seed in range(40)]
    for number in range(len(paces)):
        later = [_share_later(row[number]) for row in played]
        assert 0.43 < sum(later) / len(later) < 0.59, "left where it was drawn: from 0.36 to 0.68 at several paces"


def _simulated_round(paces, draw, *, work=400, gold=10):
    """Return each labeler's sequence of tasks, True for gold, in a round whose clock ticks when each has done one
    more.
    """
    share = fair_share(work, work, len(paces))
    plans = [Spread(positions_of(gold, share, draw), 0, 0, gold + share) for _ in paces]
    rows: list[list[bool]] = [[] for _ in paces]
    left = work
    while left:
        number = draw.choices(range(len(paces)), paces)[0]
        plan = plans[number]
        is_gold = bool(plan.gold_left) and plan.positions[plan.next] <= plan.served
        left -= not is_gold
        rows[number].append(is_gold)
        plans[number] = replace(plan, served=plan.served + 1, next=plan.next + is_gold)
        if sum(map(len, rows)) % len(paces) == 0:
            for changed, until in spread_again(plans, work=work, most=work):
                plans[changed] = replace(plans[changed], positions=plans[changed].again(until), until=until)
    return [row + [True] * plan.gold_left for row, plan in zip(rows, plans, strict=True)]


def _share_later(row):
    """Return the share of pairs of a gold task and a work task in which the gold one came later."""
    pairs = [(gold, work) for gold, is_gold in enumerate(row) if is_gold for work, other in enumerate(row) if not other]
    return sum(gold > work for gold, work in pairs) / len(pairs)


@pytest.mark.django_db
def test_the_clock_spreads_gold_over_what_a_labeler_may_still_expect_to_do():
    project, round_ = project_with_gold(5, traces=60)
    quick, slow = make_member(project), make_member(project)
    _serve(slow, project, 1)
    assert GoldPlan.objects.get(labeler=slow).until == 5 + 30
    _serve(quick, project, 20)
    # About one time in twenty, the fast labeler has seen all gold by now, and none is left to spread.
    met_all = GoldPlan.objects.get(labeler=quick).next == 5
    assert spread_gold() == (1 if met_all else 2)
    plans = {plan.labeler_id: plan for plan in GoldPlan.objects.filter(round=round_)}
    assert plans[slow.pk].until < 20, "there is less for them than half of the round"
    assert plans[slow.pk].positions[-1] < plans[slow.pk].until
    assert met_all or plans[quick.pk].until > 50
    assert spread_gold() == 0, "once is enough"


def _serve(person, project, count):
    tasks: list[int] = []
    while len(tasks) < count and _label_one(person, project, tasks):
        pass


@pytest.mark.django_db
def test_every_labeler_meets_every_gold_task_once_at_places_of_their_own():
    project, round_ = project_with_gold(5, traces=30)
    people = [make_member(project) for _ in range(3)]
    served = _label_in_turns(people, project)
    gold = set(round_.tasks.filter(kind="gold").values_list("pk", flat=True))
    positions = []
    for person, tasks in served.items():
        assert len(set(tasks)) == len(tasks), "nobody does a task twice"
        assert gold <= set(tasks)
        positions.append([place for place, task in enumerate(tasks) if task in gold])
        plan = GoldPlan.objects.get(labeler=person, round=round_)
        assert (positions[-1], len(tasks)) == (plan.positions, plan.served)
    work = [task for tasks in served.values() for task in tasks if task not in gold]
    assert sorted(work) == sorted(round_.tasks.filter(kind="work").values_list("pk", flat=True))
    assert len({tuple(own) for own in positions}) == 3, "nobody learns from a colleague when the next one comes"


@pytest.mark.django_db
def test_gold_left_over_comes_when_the_round_has_nothing_else_for_a_labeler():
    project, round_ = project_with_gold(3, traces=3)
    slow = make_member(project)
    first = labels.claim_next_label(slow, project).label
    _label_in_turns([make_member(project)], project)
    labels.submit_label(first, make_submission())
    rest = _label_in_turns([slow], project)[slow]
    assert round_.tasks.filter(kind="gold", labels__labeler=slow, labels__status="submitted").count() == 3
    assert set(rest) <= set(round_.tasks.filter(kind="gold").values_list("pk", flat=True))


@pytest.mark.django_db
def test_a_gold_trace_that_a_labeler_had_before_does_not_come_again():
    project, _ = project_with_gold(3, traces=4)
    ada = make_member(project)
    _label_in_turns([ada], project)
    make_gold_items(project, 1)
    second = make_round(project, traces=4)
    _label_in_turns([ada], project)
    assert second.gold_count == 3
    assert Label.objects.filter(labeler=ada, task__round=second, task__kind="gold").count() == 1, "the new one alone"


@pytest.mark.django_db
def test_how_much_gold_a_labeler_has_left_is_told_to_admins_and_a_round_that_has_too_little_warns_them_once():
    project, first = project_with_gold(3, traces=3)
    ada, admin = make_member(project, username="ada-had-it"), Browser(make_member(project, "admin"))
    counts = f"/api/projects/{project.slug}/gold/counts"
    told = {"active": 3, "least_left": 3, "labelers": 1, "short": 0}
    assert told.items() <= admin.call("GET", counts).items()
    watch_rounds()
    _label_in_turns([ada], project)
    rounds.close_round(first, by=None)
    make_gold_items(project, 1)
    make_member(project)
    told = {"active": 4, "least_left": 1, "labelers": 2, "short": 1}
    assert told.items() <= admin.call("GET", counts).items()
    assert admin.call("GET", "/api/notices")["results"] == []
    second = make_round(project, traces=3)
    for _ in range(2):
        watch_rounds()
    [notice] = admin.call("GET", "/api/notices")["results"]
    assert (notice["kind"], notice["path"]) == ("gold_short", f"/projects/{project.slug}/gold")
    assert notice["title"] == f"Too little new gold in Round {second.number}"
    assert "1 of 2 labelers already had some of its 3 gold tasks" in notice["text"]
    assert "ada-had-it" not in notice["text"]
    assert Browser(ada).call("GET", "/api/notices")["results"] == []


@pytest.mark.django_db
@pytest.mark.parametrize("prefetch", [False, True])
def test_gold_of_a_problem_that_turned_out_bad_comes_to_nobody_any_more(prefetch):
    project, round_ = project_with_gold(3, traces=6)
    bad, *good = round_.tasks.filter(kind="gold").order_by("pk")
    early, late = make_member(project), make_member(project)
    plan_gold(round_, early, [1, 2, 3])
    first = labels.claim_next_label(early, project, prefetch=prefetch).label
    mark_bad_problem(bad, by=make_member(project, "admin"), reason="No figure.")
    labels.submit_label(first, make_submission())
    served = _label_in_turns([early, late], project)
    for person in (early, late):
        met = Label.objects.filter(task__kind="gold", labeler=person, status="submitted").values_list("task", flat=True)
        assert set(met) == {task.pk for task in good}
    assert bad.pk not in served[early] + served[late]
    plan = GoldPlan.objects.get(labeler=early, round=round_)
    assert len(plan.tasks) == len(plan.positions) == plan.next  # what was leased ahead stays in it


@pytest.mark.django_db
def test_gold_is_no_work_takes_no_place_and_a_lost_lease_brings_it_back():
    project, round_ = project_with_gold(4, traces=4)
    ada = make_member(project)
    while (label := labels.claim_next_label(ada, project).label).task.kind != "gold":
        labels.submit_label(label, make_submission())
    for lose in (1, 2):
        Label.objects.filter(pk=label.pk).update(leased_until=label.claimed_at)
        assert labels.expire_overdue_labels() == 1
        assert labels.claim_next_label(ada, project).label == label, f"lost {lose} times, it is the first to come back"
    assert set(Task.objects.filter(kind="gold").values_list("labels_wanted", flat=True)) == {0}
    again = rounds.open_round(project, by=None)
    assert again.task_count == 4, "gold traces are not taken as work"
    assert again.gold_count == 4


@pytest.mark.django_db
def test_who_comes_when_a_round_has_no_work_for_them_meets_none_of_its_gold_and_who_comes_late_less_of_it():
    project, first = project_with_gold(6, traces=24)
    early, late, last = (make_member(project) for _ in range(3))
    gold = set(first.tasks.filter(kind="gold").values_list("pk", flat=True))
    of_early: list[int] = []
    while first.tasks.filter(kind="work", labels_wanted__gt=0).count() > 2:
        _label_one(early, project, of_early)
    of_late: list[int] = []
    while _label_one(late, project, of_late):
        pass
    assert len(set(of_late) - gold) == 2
    assert len(gold & set(of_late)) == 2, "of the eight tasks of a share two are left, and so of six gold ones"
    of_last: list[int] = []
    assert not _label_one(last, project, of_last)
    assert not GoldPlan.objects.filter(labeler=last).exists()
    second = make_round(project, 6)
    while len(of_last) < 3:
        _label_one(last, project, of_last)
    assert set(Task.objects.filter(pk__in=of_last).values_list("round", flat=True)) == {second.pk}


@pytest.mark.django_db
def test_a_round_takes_the_gold_that_was_served_least_and_ids_do_not_give_it_away():
    project = make_project(gold_per_round=3)
    gold = make_gold_items(project, 5)
    first = make_round(project, 40)
    second = make_round(project, 0)
    served = [set(r.tasks.filter(kind="gold").values_list("trace", flat=True)) for r in (first, second)]
    assert served[0] == {one.trace_id for one in gold[:3]}
    assert {one.trace_id for one in gold[3:]} < served[1]
    ids = list(first.tasks.order_by("pk").values_list("kind", "order_key"))
    assert [key for _, key in ids] == sorted(key for _, key in ids), "ids follow the shuffled queue"
    assert [kind for kind, _ in ids] != sorted(kind for kind, _ in ids)


def _label_in_turns(people, project) -> dict[User, list[int]]:
    """Have each do one task after another until none is left; return each one's tasks in order."""
    tasks: dict[User, list[int]] = {person: [] for person in people}
    while sum(_label_one(person, project, tasks[person]) for person in people):
        pass
    return tasks


def _label_one(person, project, tasks: list[int]) -> bool:
    label = labels.claim_next_label(person, project).label
    if label is not None:
        tasks.append(label.task_id)
        labels.submit_label(label, make_submission())
    return label is not None
