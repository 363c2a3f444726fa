"""Counting what a round could choose from, while a person fills in the form."""

import random
from dataclasses import replace
from typing import Any

import pytest

from annotation_app.generators import read_generators
from labeling.actions.gold import make_gold
from labeling.actions.step_scorers import check_prm
from labeling.configs import GenerateConfig, StagedConfig, TraceFilter
from labeling.models import Project, StepScorer, Trace
from labeling.queries import round_pool, selection
from labeling.queries.scored_pool import Pool
from labeling.selection import Rules
from labeling.tests.accounts import Browser
from labeling.tests.factories import join, make_member, make_project, open_round
from labeling.tests.selection.pools import PoolTrace, make_pool, make_prm, make_problems, ready_round

pytestmark = pytest.mark.django_db
ASKED = StagedConfig(k=1)


def count_pool(project: Project, rules: Rules, *, scorer: StepScorer | None, asked: StagedConfig) -> dict[str, Any]:
    """Count as the form does."""
    return round_pool.count_pool(project, asked.with_rules(rules), seed=rules.seed, scorer=scorer)


def codes(counted: dict) -> set[str]:
    return {warning["code"] for warning in counted["warnings"]}


def test_the_pool_is_counted_by_outcome_score_and_queue():
    project, prm = make_project(), make_prm()
    problems = make_problems(project, 2)
    make_pool(project, prm, [PoolTrace(0), PoolTrace(1, "correct"), PoolTrace(1, "ungraded", None)], problems)
    open_round(project, source="sample", sample_size=1)
    make_pool(project, prm, [PoolTrace(0, "wrong", None)] * 2, problems)
    make_pool(project, prm, [PoolTrace(0)], make_problems(project, 1, status="bad"))
    found = count_pool(project, Rules("per_problem", k=1, seed=0), scorer=prm, asked=ASKED)
    expected = {"problems": 2, "traces": 5, "correct": 1, "wrong": 3, "ungraded": 1, "scored": 2, "unscored": 3}
    assert {name: found[name] for name in expected} == expected
    assert (found["queued"], found["approximate"]) == (1, False)


@pytest.mark.parametrize("seed", range(12))
def test_what_the_form_says_is_what_is_selected_where_no_two_traces_are_nearly_the_same(seed):
    chance = random.Random(seed)
    project, prm = make_project(), make_prm()
    outcomes = ("wrong", "wrong", "correct", "ungraded")
    pool = [PoolTrace(chance.randrange(6), chance.choice(outcomes), -n / 100) for n in range(70)]
    make_gold(make_pool(project, prm, pool)[0], acceptable=[-1], by=None)
    rules = Rules(
        chance.choice(["per_problem", "global"]),
        k=chance.choice([2, 8, 20]),
        seed=seed,
        per_problem_cap=chance.choice([None, 2]),
        budget=chance.choice([None, 15]),
        control_share=chance.choice([0, 0.2, 0.5]),
    )
    expected = count_pool(project, rules, scorer=prm, asked=ASKED)["expected"]
    found = selection.choose(Pool(project, prm.pk), rules)
    reasons = [choice.reason for choice in found.chosen]
    assert expected == {
        "selected": len(reasons),
        "wrong": reasons.count("convincing_wrong"),
        "rest": reasons.count("convincing_rest"),
        "control": reasons.count("control"),
        "mixed": {},
        "shortfall": found.shortfall,
    }


def test_what_the_prm_learned_from_is_no_candidate_and_where_nobody_says_it_the_form_does():
    project, prm = make_project(), make_prm()
    traces = make_pool(project, prm, [PoolTrace(n % 3) for n in range(12)])
    rules = Rules("per_problem", k=4, seed=0, ratio=1, control_share=0.2)
    assert "origin_unknown" in codes(count_pool(project, rules, scorer=prm, asked=ASKED))
    learned = [bytes(traces[0].trace_hash), bytes(traces[4].trace_hash), b"another project's trace, 32 byte"]
    prm = check_prm(prm, lambda _: {"fingerprint": prm.fingerprint, "scale": "probability", "learned": learned})
    assert prm.learned_texts == 3
    counted = count_pool(project, rules, scorer=prm, asked=ASKED)
    assert "origin_unknown" not in codes(counted)
    assert counted["expected"]["selected"] == 10
    round_ = ready_round(project, prm, k=4, ratio=1, control_share=0.2)
    assert not {traces[0].pk, traces[4].pk} & set(round_.tasks.values_list("trace", flat=True))
    assert (round_.task_count, round_.selection["dropped"]) == (10, {"prm_learned_from": 2})


def test_the_control_arm_is_expected_on_top_and_a_budget_holds_it_in():
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(n % 5) for n in range(100)])
    rules = Rules("per_problem", k=4, seed=0, ratio=1, control_share=0.2)
    expected = count_pool(project, rules, scorer=prm, asked=ASKED)["expected"]
    assert expected == {"selected": 24, "wrong": 20, "rest": 0, "control": 4, "mixed": {}, "shortfall": 0}
    tight = Rules("per_problem", k=4, seed=0, ratio=1, control_share=0.2, budget=10)
    expected = count_pool(project, tight, scorer=prm, asked=ASKED)["expected"]
    assert expected == {"selected": 10, "wrong": 8, "rest": 0, "control": 2, "mixed": {}, "shortfall": 0}


def test_a_budget_that_is_reached_leaves_no_places_empty_for_want_of_traces():
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(n % 5) for n in range(10)])
    for budget, short in ((None, 10), (20, 10), (10, 0), (6, 0)):
        rules = Rules("per_problem", k=4, seed=0, ratio=1, budget=budget)
        assert count_pool(project, rules, scorer=prm, asked=ASKED)["expected"]["shortfall"] == short


def test_a_large_pool_is_estimated_from_a_sample_of_problems_and_says_so(monkeypatch):
    project, prm = make_project(), make_prm()
    chance = random.Random(3)
    make_pool(project, prm, [PoolTrace(n % 200, chance.choice(["wrong", "correct"]), -n / 1000) for n in range(2000)])
    rules = Rules("per_problem", k=2, seed=0)
    exact = count_pool(project, rules, scorer=prm, asked=ASKED)
    monkeypatch.setattr("labeling.queries.round_pool.WHOLE", 600)
    about = count_pool(project, rules, scorer=prm, asked=ASKED)
    assert (exact["approximate"], about["approximate"]) == (False, True)
    for name in ("problems", "traces", "correct", "wrong", "scored"):
        assert about[name] == pytest.approx(exact[name], rel=0.15), name
    assert about["expected"]["selected"] == pytest.approx(exact["expected"]["selected"], rel=0.1)
    assert count_pool(project, rules, scorer=prm, asked=ASKED) == about


def test_a_filter_narrows_the_count():
    project, prm = make_project(), make_prm()
    traces = make_pool(project, prm, [PoolTrace(n % 3, "wrong") for n in range(9)])
    Trace.objects.filter(pk__in=[trace.pk for trace in traces[:4]]).update(generator="left")
    asked = replace(ASKED, filter=TraceFilter(generator="left"))
    assert count_pool(project, Rules("global", k=2, seed=0), scorer=prm, asked=asked)["traces"] == 4
    held_out = replace(ASKED, filter=TraceFilter(split="held_out"))
    found = count_pool(project, Rules("global", k=2, seed=0), scorer=prm, asked=held_out)
    assert (found["traces"], found["expected"]["selected"]) == (0, 0)
    assert "empty" in codes(found)


def test_the_answer_warns_of_what_a_researcher_would_regret():
    project, prm = make_project(), make_prm(status=StepScorer.Status.UNCHECKED)
    make_pool(project, prm, [PoolTrace(0, "correct"), PoolTrace(0, "ungraded")])
    rules = Rules("per_problem", k=2, seed=0)
    found = count_pool(project, rules, scorer=prm, asked=replace(ASKED, grade=False))
    assert codes(found) == {"ungraded", "shortfall", "prm_not_ready", "many_of_few"}
    assert "no_prm" in codes(count_pool(project, rules, scorer=None, asked=ASKED))
    open_round(project)
    assert "all_queued" in codes(count_pool(project, rules, scorer=prm, asked=ASKED))
    generating = count_pool(
        make_project(), rules, scorer=prm, asked=replace(ASKED, generate=GenerateConfig("qwen", "q7", n=4))
    )
    assert codes(generating) == {"generates", "prm_not_ready"}


def test_the_count_over_http_takes_the_form_as_it_is():
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(n % 2) for n in range(20)])
    browser = Browser(make_member(project, "researcher"))
    body = {"prm": prm.pk, "mode": "per_problem", "k": 3, "control_share": 0, "filter": {"unlabeled_only": True}}
    answer = browser.send("POST", f"/api/projects/{project.slug}/rounds/pool", body)
    assert answer.status_code == 200
    assert (answer.json()["expected"]["wrong"], answer.json()["samples"]) == (4, 0)
    refused = browser.send("POST", f"/api/projects/{project.slug}/rounds/pool", body | {"prm": 10**9})
    assert refused.json()["fields"].keys() == {"prm"}


def test_the_count_says_how_much_a_generator_would_be_asked_to_write(settings):
    settings.GENERATORS = read_generators('{"here": {"url": "http://127.0.0.1:1/v1", "models": ["m"]}}')
    project = make_project()
    problems = make_problems(project, 4)
    make_pool(project, make_prm(), [PoolTrace(n) for n in range(3)], problems)  # the last has no trace yet
    browser = Browser(make_member(project, "researcher"))
    body = {"k": 1, "generate": {"generator": "here", "model": "m", "prompt": "steps", "n": 5}}
    answer = browser.send("POST", f"/api/projects/{project.slug}/rounds/pool", body)
    assert answer.json()["samples"] == 4 * 5, answer.json()


def test_a_round_that_chooses_anew_is_not_told_that_its_own_tasks_are_queued():
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(n % 3) for n in range(12)])
    round_ = ready_round(project, prm)
    browser = Browser(make_member(project, "researcher"))
    body = {"prm": prm.pk, "mode": "per_problem", "k": 2, "ratio": 1, "control_share": 0}
    address = f"/api/projects/{project.slug}/rounds/pool"
    assert browser.send("POST", address, body).json()["queued"] == round_.task_count > 0
    make_pool(project, prm, [PoolTrace(n) for n in range(4)])  # after the round froze its pool
    anew = browser.send("POST", address, body | {"round": round_.pk}).json()
    assert (anew["traces"], anew["scored"], anew["queued"], anew["expected"]["wrong"]) == (12, 12, 0, 6)


def test_a_count_for_a_round_of_another_project_is_refused():
    project, prm = make_project(), make_prm()
    researcher = make_member(project, "researcher")
    other = make_project()
    join(other, researcher, "researcher")
    make_pool(other, prm, [PoolTrace(0)])
    address = f"/api/projects/{project.slug}/rounds/pool"
    for foreign in (ready_round(other, prm).pk, 10**9):
        assert Browser(researcher).send("POST", address, {"k": 1, "round": foreign}).status_code == 404


@pytest.mark.parametrize("seed", range(6))
def test_a_pool_with_four_to_six_traces_a_problem_opens_without_a_warning(seed):
    chance = random.Random(seed)
    project, prm = make_project(), make_prm(learned_texts=0)
    each = [chance.choice((4, 5, 6)) for _ in range(30)]
    pool = [
        PoolTrace(problem, "wrong" if place % 2 == 0 else "correct", -chance.random())
        for problem, count in enumerate(each)
        for place in range(count)
    ]
    make_pool(project, prm, pool)
    asked = StagedConfig(k=4)
    first = count_pool(project, Rules("per_problem", k=4, seed=0, control_share=0.1), scorer=prm, asked=asked)
    assert "many_of_few" in codes(first), "what the form began with"
    assert first["fitting_k"] == 1
    found = count_pool(project, Rules("per_problem", k=1, seed=0, control_share=0.1), scorer=prm, asked=asked)
    assert found["warnings"] == []


def test_k_is_as_large_as_most_problems_fill_and_at_most_four():
    prm = make_prm()
    # With 10 traces per problem, one in five is two; with 30, four would be small enough.
    for traces, wrong, k in ((10, 8, 2), (10, 1, 1), (30, 20, 4), (30, 3, 4), (30, 2, 3), (15, 15, 3)):
        project = make_project()
        outcomes = ["wrong"] * wrong + ["correct"] * (traces - wrong)
        make_pool(project, prm, [PoolTrace(n, one) for n in range(4) for one in outcomes])
        counted = count_pool(project, Rules("per_problem", k=4, seed=0), scorer=prm, asked=ASKED)
        assert counted["fitting_k"] == k, (traces, wrong)
