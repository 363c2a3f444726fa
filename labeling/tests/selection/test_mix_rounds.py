"""Rounds with several selection methods: requested, refused, counted beforehand, recommended, and reported by arm."""

import io
import random

import pytest
from django.core.management import call_command

from labeling.actions import rounds
from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.round_stages import move_on
from labeling.configs import PlainConfig, TraceFilter
from labeling.models import Project, Round, RoundChunk, Score, StepScorer, Task
from labeling.quality.consensus import AskedOverlap
from labeling.queries.mixes import advised
from labeling.queries.round_report import round_report
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.selection.pools import PoolTrace, finish_selecting, give_scores, make_pool, make_prm, ready_round

pytestmark = pytest.mark.django_db
STEPS = ["One.", "Two.", "Three."]


def scored_project() -> tuple[Project, StepScorer, StepScorer]:
    """Sixty traces of twenty problems, scored by two PRMs that do not agree; the first has bootstrap heads."""
    chance = random.Random(2)
    project, prm, other = make_project(), make_prm(), make_prm()
    outcomes = ("wrong", "wrong", "correct")
    pool = [PoolTrace(n % 20, outcomes[n % 3], -n / 10, [f"{n}.", "Two.", "Three."]) for n in range(60)]
    traces = make_pool(project, prm, pool)
    give_scores(other, [(trace, -chance.random()) for trace in traces])
    for score in Score.objects.filter(scorer=prm):
        score.spread = chance.random()
        score.save(update_fields=["spread"])
    return project, prm, other


def asked_for(prm: StepScorer, **mix) -> dict:
    return {"mode": "global", "k": 20, "control_share": 0.2, "prm": prm.pk, "grade": False, "mix": mix}


def test_the_forecast_promises_no_way_that_its_scorers_cannot_give_and_says_why():
    project, plain, _ = scored_project()
    Score.objects.filter(scorer=plain).update(spread=None)
    elsewhere = make_prm()
    give_scores(elsewhere, [(trace, -0.5) for trace in project.traces.order_by("pk")[:2]])
    pages = Browser(make_member(project, "researcher"))

    def counted(prm: StepScorer, **changes):
        asked = asked_for(prm, wavering=0.1, disagreement=0.2, other=elsewhere.pk) | changes
        found = pages.call("POST", f"/api/projects/{project.slug}/rounds/pool", asked)
        return found["expected"], {one["code"]: one["text"] for one in found["warnings"]}

    expected, warnings = counted(plain)
    assert expected["mixed"] == {"disagreement": 2, "wavering": 0}
    assert expected["shortfall"] == 4
    assert expected["selected"] == 20 + 4 - 4
    assert warnings["no_wavering"].startswith(f"{plain.name} does not report how far its heads waver")
    assert warnings["no_disagreement"].startswith(f"{elsewhere.name} has scored only 2 of the traces that fit.")
    assert "shortfall" not in warnings, "there are enough wrong answers"
    last = [trace.problem.pk for trace in project.traces.select_related("problem").order_by("-pk")[:1]]
    alone = {"filter": {"ids": list(project.traces.filter(problem__in=last).values_list("pk", flat=True))}}
    _, warnings = counted(plain, **alone)
    assert warnings["no_disagreement"].startswith(f"{elsewhere.name} has scored none of the traces that fit.")
    stacked = make_prm(spec={"family": "stacked_head"})
    expected, warnings = counted(stacked)
    assert expected["mixed"]["wavering"] == 2, "it has scored nothing yet, and will say"
    assert "no_wavering" not in warnings


def test_a_round_by_every_way_is_started_chosen_shown_and_told_by_arm():
    project, prm, other = scored_project()
    browser = Browser(make_member(project, "researcher"))
    named = project.traces.order_by("pk").first().pk
    mix = dict.fromkeys(("disagreement", "wavering", "unsure", "like", "typical"), 0.15)
    asked = asked_for(prm, **mix, other=other.pk, like_traces=[named])
    counted = browser.call("POST", f"/api/projects/{project.slug}/rounds/pool", asked)["expected"]
    assert counted["mixed"] == dict.fromkeys(mix, 3)
    told = browser.call("POST", f"/api/projects/{project.slug}/rounds/start", asked, status=201)
    assert told["config"]["mix"] == {**mix, "other": other.pk, "like_traces": [named]}
    round_ = Round.objects.get(pk=told["id"])
    while move_on(round_.pk) != "selecting":  # the stages before it are done
        RoundChunk.objects.filter(round=round_).update(status="done")
    finish_selecting(Round.objects.get(pk=round_.pk))
    arms = dict.fromkeys(mix, 3) | {"control": 4, "convincing_wrong": 4, "convincing_rest": 1}
    selection = browser.call("GET", f"/api/rounds/{round_.pk}/selection")
    assert selection["chosen"] == arms
    assert {one["reason"] for one in selection["sample"]} == set(arms)
    assert counted["selected"] == sum(arms.values())
    # Selected again, by another method.
    browser.call("POST", f"/api/rounds/{round_.pk}/reselect", {"mode": "global", "k": 6, "mix": {"unsure": 1.0}})
    finish_selecting(Round.objects.get(pk=round_.pk))
    assert set(Task.objects.filter(round=round_).values_list("reason", flat=True)) == {"unsure", "control"}
    rounds.publish_round(Round.objects.get(pk=round_.pk), by=None)
    labeler = make_member(project)
    while (label := claim_next_label(labeler, project).label) is not None:
        submit_label(label, make_submission([1, 1, -1]))
    report = round_report(Round.objects.get(pk=round_.pk))
    assert list(report["yield"]) == ["unsure", "control"]
    assert report["finished"]["unsure"]["found_error"] == 6


@pytest.mark.parametrize(
    ("changed", "mix", "field", "said"),
    [
        ({"mode": "per_problem"}, {"unsure": 0.5}, "mix", "whole pool"),
        ({"control_share": 0.0}, {"unsure": 0.5}, "control_share", "at least 5%"),
        ({"prm": None}, {"unsure": 0.5}, "mix", "Choose a PRM"),
        ({}, {"unsure": 0.7, "typical": 0.7}, "mix", "more than the whole"),
        ({}, {"disagreement": 0.5}, "mix", "Choose the scorer"),
        ({}, {"disagreement": 0.5, "other": "itself"}, "mix", "agrees with itself"),
        ({}, {"disagreement": 0.5, "other": "silent"}, "mix", "scored nothing here yet"),
        ({}, {"like": 0.5}, "mix", "Name the traces"),
        ({}, {"like": 0.5, "like_traces": [999_999_999]}, "mix", "not in this project"),
    ],
)
def test_what_cannot_be_chosen_is_refused_with_the_way_out(changed, mix, field, said):
    project, prm, _other = scored_project()
    others = {"itself": prm.pk, "silent": make_prm().pk}
    mix = {name: others.get(value, value) if name == "other" else value for name, value in mix.items()}
    browser = Browser(make_member(project, "researcher"))
    asked = asked_for(prm, **mix) | changed
    refused = browser.call("POST", f"/api/projects/{project.slug}/rounds/start", asked, status=400)
    assert said in str(refused["fields"][field])


def test_the_recommended_mix_goes_by_what_labels_that_chance_drew_say():
    project, prm, _other = scored_project()
    assert advised(project, None, places=9)["code"] == "no_prm"
    unknown = advised(project, prm, places=9)
    assert (unknown["code"], unknown["rules"]["mix"]["wavering"]) == ("not_known", 0.3)
    assert "No random trace is labeled yet" in unknown["text"]
    Score.objects.update(spread=None)
    assert advised(project, prm, places=9)["rules"]["mix"]["unsure"] == 0.3
    assert label_at_random([1, -1, None])["code"] == "errors_common"
    rare = label_at_random([1, 1, 1])
    assert rare["code"] == "errors_rare"
    assert "0 % of the randomly drawn traces have an error (of 30; 95 %: 0 to " in rare["text"]
    assert rare["rules"]["mode"] == "per_problem"
    narrowed = label_at_random([1, -1, None], PlainConfig.of("sample", filter=TraceFilter("correct"), sample_size=30))
    assert narrowed["code"] == "not_known", "traces of one outcome say nothing of the pool"


def test_what_is_recommended_takes_a_trace_for_wrong_where_its_rounds_report_does():
    project, prm = make_project(), make_prm()
    make_pool(project, None, [PoolTrace(n, "correct", None, [f"{n}.", "Two.", "Three."]) for n in range(10)])
    sample, twice = PlainConfig.of("sample", sample_size=10), AskedOverlap(2)
    round_ = rounds.open_round(project, by=None, config=sample, overlap=twice)
    told: dict[int, int] = {}
    for ratings in ([1, 1, 1], [1, -1, None]):
        labeler = make_member(project)
        while (label := claim_next_label(labeler, project).label) is not None:
            place = told.setdefault(label.task_id, len(told))
            split = ratings if place < 7 else [1, -1, None]  # the labels differ on seven; on three, both find it
            submit_label(label, make_submission(split))
    [ended] = round_report(round_)["finished"].values()
    assert (ended["found_error"], ended["solution"]) == (3, 7)
    assert "30 % of the randomly drawn traces have an error (of 10;" in advised(project, prm, places=9)["text"]


def label_at_random(ratings: list[int | None], plain: PlainConfig | None = None) -> dict:
    """Return the recommendation after a random round in which every trace was rated like this; `plain`: after that
    round.
    """
    project, prm = make_project(), make_prm()
    make_pool(project, None, [PoolTrace(n, "correct", None, [f"{n}.", "Two.", "Three."]) for n in range(30)])
    if plain:
        rounds.open_round(project, by=None, config=plain)
    else:
        rounds.publish_round(ready_round(project, None, mode="global", k=30), by=None)
    labeler = make_member(project)
    while (label := claim_next_label(labeler, project).label) is not None:
        submit_label(label, make_submission(ratings))
    return advised(project, prm, places=9)


def test_a_command_starts_a_mix_too():
    project, prm, other = scored_project()
    said = io.StringIO()
    ways = ["--mix", "unsure=0.3", "--mix", "disagreement=0.2", "--other", other.name]
    call_command("open_round", project.slug, "--prm", prm.name, "--mode", "global", "--k", "9", *ways, stdout=said)
    mix = Round.objects.get(project=project).config["mix"]
    assert (mix["unsure"], mix["disagreement"], mix["other"]) == (0.3, 0.2, other.pk)
