"""A researcher's view of a selection and its scores over HTTP; labelers see none of it."""

import math

import pytest

from labeling.actions import rounds
from labeling.actions.labels import claim_next_label
from labeling.models import Score, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.selection.pools import PoolTrace, make_pool, make_prm, ready_round, selecting_round

pytestmark = pytest.mark.django_db


def test_the_selection_comes_with_the_best_four_of_each_reason_and_their_step_scores():
    project, prm = make_project(), make_prm()
    outcomes = ["wrong", "wrong", "correct"]
    make_pool(project, prm, [PoolTrace(n % 4, outcomes[n % 3], -n / 10, ["First.", f"Then {n}."]) for n in range(60)])
    round_ = ready_round(project, prm, k=6, control_share=0.25)
    browser = Browser(make_member(project, "researcher"))
    answer = browser.get(f"/api/rounds/{round_.pk}/selection")
    body = answer.json()
    assert answer.status_code == 200
    assert {name: body[name] for name in round_.selection} == round_.selection
    assert sum(body["chosen"].values()) + sum(body["dropped"].values()) == 60
    assert browser.get(f"/api/rounds/{round_.pk}/report").json()["dropped"] == body["dropped"]
    reasons = [one["reason"] for one in body["sample"]]
    assert {reason: reasons.count(reason) for reason in reasons} == {
        "control": 4,
        "convincing_wrong": 4,
        "convincing_rest": 4,
    }
    best = next(one for one in body["sample"] if one["reason"] == "convincing_wrong")
    trace = Trace.objects.get(pk=best["trace_id"])
    assert best["steps"] == trace.steps
    assert best["step_scores"] == pytest.approx([1.0, math.exp(best["score"])], rel=1e-6)
    assert best["problem_text"] == trace.problem.text


def test_a_round_without_a_selection_says_so():
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(0)])
    browser = Browser(make_member(project, "researcher"))
    answer = browser.get(f"/api/rounds/{selecting_round(project, prm).pk}/selection")
    assert (answer.status_code, answer.json()["code"]) == (409, "round_not_in_status")


def test_selecting_anew_over_http_changes_the_rules_and_leaves_the_rest_of_the_config():
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(n % 4) for n in range(40)])
    round_ = ready_round(project, prm, k=6)
    browser = Browser(make_member(project, "researcher"))
    rules = {"mode": "global", "k": 5, "ratio": 1, "per_problem_cap": 2, "budget": None, "control_share": 0}
    answer = browser.send("POST", f"/api/rounds/{round_.pk}/reselect", {**rules, "seed": 3})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["status"], body["seed"], body["has_selection"]) == ("scoring", 3, False)
    assert {name: body["config"][name] for name in rules if name != "seed"} == {
        n: rules[n] for n in rules if n != "seed"
    }
    assert body["config"]["inputs"] == round_.config["inputs"]


def test_a_trace_shows_what_each_prm_says_of_it():
    project, prm, other = make_project(), make_prm(), make_prm(scale="log_ratio")
    trace, _ = make_pool(project, prm, [PoolTrace(0, "wrong", -0.5, ["One.", "Two."]), PoolTrace(0)])
    place = {"project": project, "problem": trace.problem, "outcome": "wrong", "draw": 0}
    Score.objects.create(scorer=other, trace=trace, steps=None, score=None, reason="Too long.", exact=False, **place)
    browser = Browser(make_member(project, "researcher"))
    body = browser.get(f"/api/traces/{trace.pk}").json()
    assert body["project"] == project.slug
    newest, first = body["scores"]
    assert newest == {
        "prm": {"id": other.pk, "name": other.name},
        "scale": "log_ratio",
        "steps": None,
        "score": None,
        "reason": "Too long.",
        "exact": False,
    }
    assert (first["prm"]["id"], first["score"], first["exact"]) == (prm.pk, -0.5, True)
    assert first["steps"] == pytest.approx([1.0, math.exp(-0.5)], rel=1e-6)


def test_the_logarithm_of_nothing_is_null_over_http():
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(0, "wrong", -math.inf)] * 3)
    round_ = ready_round(project, prm, k=2, control_share=0.5)
    browser = Browser(make_member(project, "researcher"))
    body = browser.get(f"/api/rounds/{round_.pk}/selection").json()
    assert body["median"] == {"selected": None, "pool": None, "control": None}
    assert {one["score"] for one in body["sample"]} == {None}
    assert browser.get(f"/api/traces/{body['sample'][0]['trace_id']}").json()["scores"][0]["score"] is None


def test_a_labeler_sees_nothing_of_scores_ranks_or_reasons():
    project, prm = make_project(reveal_scores=True), make_prm()
    make_pool(project, prm, [PoolTrace(n) for n in range(3)])
    rounds.publish_round(ready_round(project, prm), by=None)
    labeler = make_member(project)
    claimed = Browser(labeler).send("POST", f"/api/projects/{project.slug}/labels/claim", {"prefetch": True})
    label = claim_next_label(labeler, project).label
    shown = claimed.content + Browser(labeler).get(f"/api/labels/{label.pk}").content
    for word in (b"score", b"convincing", b"rank", b'reason"', prm.name.encode()):
        assert word not in shown.replace(b"reveal_scores", b"")
