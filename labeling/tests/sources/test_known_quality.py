"""Judges of known quality: every figure of a page matches the simulation, and intervals contain that quality."""

from collections import Counter
from random import Random

import pytest

from labeling.models import Problem, Project, Score, StepScorer, Trace
from labeling.protocol.verdicts import NO_ERROR
from labeling.sources.consensus import consensus
from labeling.sources.marks import Marked
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_traces

pytestmark = pytest.mark.django_db

STEPS, TRACES = 6, 240
FINDS, LEAVES_ALONE, SURE = 0.7, 0.85, 0.8  # of errors, of right traces; and how often a step called so is right


def known_traces(project: Project, chance: Random) -> dict[int, int]:
    """Traces and their first errors: none in four of ten."""
    truth = {}
    traces = make_traces(project, TRACES, steps=STEPS)
    for trace in traces:
        trace.recorded_first_error = chance.randrange(STEPS) if chance.random() < 0.6 else -1
        truth[trace.pk] = trace.recorded_first_error
    Trace.objects.bulk_update(traces, ["recorded_first_error"])
    return truth


def judge_of(project: Project, name: str, truth: dict[int, int], chance: Random) -> tuple[StepScorer, dict[int, int]]:
    """Name the error, or none, as often as its quality says, otherwise anything else; silent on the last five
    traces.
    """
    judge = StepScorer.objects.create(
        project=project, name=name, kind="judge", fingerprint=name, scale="probability", status="ready", spec={}
    )
    said, scores = {}, []
    for trace in Trace.objects.filter(pk__in=truth).order_by("pk"):
        first = truth[trace.pk]
        right = chance.random() < (LEAVES_ALONE if first < 0 else FINDS)
        said[trace.pk] = first if right else chance.choice([one for one in range(-1, STEPS) if one != first])
        steps = [SURE if chance.random() < 0.9 else 0.3 for _ in range(STEPS)]
        evidence = {"first_error": said[trace.pk]}
        about = {"project_id": project.pk, "problem_id": trace.problem_id, "outcome": trace.outcome, "draw": 0}
        scores.append(Score(scorer=judge, trace=trace, steps=steps, evidence=evidence, **about))
    for score in scores[-5:]:
        score.evidence = {"first_error": None, "why": "split"}
        del said[score.trace_id]
    Score.objects.bulk_create(scores)
    return judge, said


def test_a_judges_figures_are_those_of_its_simulator_and_intervals_hold_its_quality() -> None:
    project, chance = make_project(), Random(7)
    truth = known_traces(project, chance)
    judge, said = judge_of(project, "one", truth, chance)
    other, others = judge_of(project, "two", truth, chance)
    page = Browser(make_member(project, "researcher"))
    address = f"/api/projects/{project.slug}/sources/{judge.pk}/calibration?truth=recorded&other={other.pk}"
    found = page.call("GET", address)
    assert (found["traces"], found["silent"]) == (TRACES, {"split": 5})
    wrong = [trace for trace in said if truth[trace] >= 0]
    clean = [trace for trace in said if truth[trace] < 0]
    on_wrong = sum(said[trace] == truth[trace] for trace in wrong) / len(wrong)
    on_clean = sum(said[trace] == truth[trace] for trace in clean) / len(clean)
    expected = {
        "first_error_accuracy": (sum(said[one] == truth[one] for one in said) / len(said), len(said)),
        "accuracy_on_erroneous": (on_wrong, len(wrong)),
        "accuracy_on_error_free": (on_clean, len(clean)),
        "processbench_f1": (2 * on_wrong * on_clean / (on_wrong + on_clean), len(said)),
    }
    quality = {
        "accuracy_on_erroneous": FINDS,
        "accuracy_on_error_free": LEAVES_ALONE,
        "processbench_f1": 2 * FINDS * LEAVES_ALONE / (FINDS + LEAVES_ALONE),
    }
    for figure in found["figures"]:
        value, n = expected[figure["name"]]
        assert (figure["value"], figure["n"]) == (pytest.approx(value), n), figure
        assert figure["low"] <= quality.get(figure["name"], value) <= figure["high"], figure
    kappa = next(one for one in found["agreement"] if one["name"] == "kappa_has_error")
    assert kappa["value"] == pytest.approx(_kappa([(truth[one] >= 0, said[one] >= 0) for one in said]))
    assert found["more_labels"] == 3 * len(said)
    both = Counter(_pattern(said[one], others[one], truth[one]) for one in said if one in others)
    three_way = found["three_way"]
    assert (three_way["traces"], three_way["counts"]) == (sum(both.values()), dict(both))
    by_design = {  # two independent judges; a wrong one names one of six others
        "all": 0.6 * FINDS**2 + 0.4 * LEAVES_ALONE**2,
        "this_and_people": 0.6 * FINDS * (1 - FINDS) + 0.4 * LEAVES_ALONE * (1 - LEAVES_ALONE),
        "other_and_people": 0.6 * FINDS * (1 - FINDS) + 0.4 * LEAVES_ALONE * (1 - LEAVES_ALONE),
        "both_against_people": (0.6 * (1 - FINDS) ** 2 + 0.4 * (1 - LEAVES_ALONE) ** 2) / STEPS,
        "all_differ": (0.6 * (1 - FINDS) ** 2 + 0.4 * (1 - LEAVES_ALONE) ** 2) * (1 - 1 / STEPS),
    }
    for figure in three_way["shares"]:
        assert figure["value"] == pytest.approx(both[figure["name"]] / sum(both.values()))
        assert figure["low"] < by_design[figure["name"]] < figure["high"], figure
    places = {group["group"]: group["traces"] for group in found["groups"]["place"]}
    assert places["no error"] == len(clean)
    assert sum(places.values()) == len(said)
    failures = {one["trace"]: one["said"] for one in found["failures"]}
    assert all(said[trace] == first != truth[trace] for trace, first in failures.items())
    for one in found["reliability"]:  # its numbers know nothing of the steps: each bin holds right ones as often as all
        if one["right"]["n"] > 100:
            rate = _right_rate(truth)
            assert one["right"]["low"] - 0.02 <= rate <= one["right"]["high"] + 0.02, one


def test_groups_of_lengths_and_places_stand_in_their_own_order_not_in_that_of_their_size() -> None:
    project = make_project()
    judge = StepScorer.objects.create(
        project=project, name="one", kind="judge", fingerprint="one", scale="probability", status="ready", spec={}
    )
    lengths = {20: "17 steps and more", 12: "9–16 steps", 6: "5–8 steps", 3: "1–4 steps"}
    for rank, length in enumerate(lengths):
        for trace in make_traces(project, 4 - rank, steps=length):
            trace.recorded_first_error = length - 1 if rank % 2 else -1
            trace.save()
            about = {"project_id": project.pk, "problem_id": trace.problem_id, "outcome": trace.outcome, "draw": 0}
            Score.objects.create(scorer=judge, trace=trace, steps=[1.0] * length, evidence={"first_error": -1}, **about)
    address = f"/api/projects/{project.slug}/sources/{judge.pk}/calibration?truth=recorded"
    groups = Browser(make_member(project, "researcher")).call("GET", address)["groups"]
    assert [(one["group"], one["traces"]) for one in groups["length"]] == [
        (name, 4 - rank) for rank, name in reversed(list(enumerate(lengths.values())))
    ]
    assert [one["group"] for one in groups["place"]] == ["last third", "no error"]


def _right_rate(truth: dict[int, int]) -> float:
    """Return the share of right steps among those up to first errors."""
    right = sum(STEPS if first < 0 else first for first in truth.values())
    return right / (right + sum(first >= 0 for first in truth.values()))


def _pattern(this: int, other: int, people: int) -> str:
    if this == people:
        return "all" if other == people else "this_and_people"
    if other == people:
        return "other_and_people"
    return "both_against_people" if this == other else "all_differ"


def _kappa(pairs: list[tuple[bool, bool]]) -> float:
    agreed = sum(one == other for one, other in pairs) / len(pairs)
    one, other = (sum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1))
    by_chance = one * other + (1 - one) * (1 - other)
    return (agreed - by_chance) / (1 - by_chance)


def test_traces_that_a_consensus_drops_are_counted_by_why_not_by_what_each_source_said_of_them() -> None:
    project = make_project()
    rule = StepScorer.objects.create(
        project=project, name="rule", kind="consensus", fingerprint="r", scale="probability", status="ready", spec={}
    )
    traces = make_traces(project, 6)
    Problem.objects.filter(project=project).update(text="p" * 200)
    for trace, firsts in zip(traces, [(0, 1), (1, 2), (2, NO_ERROR), (None, 1), (None, None), (1, 1)], strict=True):
        trace.recorded_first_error = 0
        trace.save()
        dropped = consensus(
            "agree", {name: Marked([None] * 3, first) for name, first in zip(("a", "b"), firsts, strict=True)}, 3
        )
        about = {"project_id": project.pk, "problem_id": trace.problem_id, "outcome": trace.outcome, "draw": 0}
        evidence = {"first_error": dropped.first_error, "why": dropped.why}
        Score.objects.create(scorer=rule, trace=trace, steps=list(dropped.steps), evidence=evidence, **about)
    address = f"/api/projects/{project.slug}/sources/{rule.pk}/calibration?truth=recorded"
    found = Browser(make_member(project, "researcher")).call("GET", address)
    assert found["silent"] == {"they differ": 3, "a does not say": 1, "a, b do not say": 1}
    [failure] = found["failures"]
    assert (len(failure["problem"]), failure["problem"][-2:]) == (160, "p…")
