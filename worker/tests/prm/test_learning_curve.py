"""The learning curve: its points, their uncertainty, and the forecast for more labels."""

import itertools

import numpy as np
import pytest
import torch
from torch import Tensor

from labeling.statistics.learning_curves import gain, of_auc, offers, points, told
from worker.prm import metrics
from worker.prm.errors import StoppedError
from worker.prm.kernels import one_thread
from worker.prm.learning_curve import SHARES, learning_curve
from worker.prm.step_set import StepSet

WIDTH = 30


@pytest.fixture(autouse=True)
def alone():
    """Use one thread, as the trainer does with few steps."""
    with one_thread(True):
        yield


def step_set(problems: int, seed: int = 0, *, per_problem: int = 4, machine: bool = False) -> StepSet:
    """Create traces of 3 steps; a third of the steps is wrong, which one direction in their states' noise reveals."""
    generator = torch.Generator().manual_seed(seed)
    traces = problems * per_problem
    number = torch.arange(traces * 3)
    labels = (torch.rand(len(number), generator=generator) > 1 / 3).long()
    states = torch.randn(len(number), WIDTH, generator=generator)
    states[:, 0] += 1.5 * labels
    problem = number // (3 * per_problem)
    counted = torch.ones(len(number), dtype=torch.bool)
    if machine:
        counted = problem % 2 == 0
    lengths = torch.full((len(number),), 20.0)
    parts = ["train"] * len(number)
    return StepSet({"0": states}, labels, number % 3, lengths, problem, counted, parts, number // 3)


def refit_of(steps: StepSet):
    def refit(fitted: Tensor, measured: Tensor) -> Tensor:
        states = steps.states["0"]
        return metrics.fit(states[fitted], steps.labels[fitted], 2, 10.0).odds(states[measured])

    return refit


def test_more_labels_make_a_better_head_and_the_baseline_stays_where_it_is():
    steps = step_set(60)
    curve = learning_curve(steps, refit_of(steps), seed=1)
    assert curve is not None
    assert (curve["labels"], curve["problems"], curve["steps"]) == (240, 60, 720)
    aucs = [one["auc"] for one in curve["points"]]
    assert len(aucs) == len(SHARES)
    assert aucs[-1] > aucs[0] + 0.05
    assert all(abs(one["baseline"] - 0.5) < 0.1 for one in curve["points"])
    labels = [one["labels"] for one in curve["points"]]
    assert labels == sorted(labels)
    assert labels[-1] == 240 * 4 / 5, "a fold is left out"
    assert learning_curve(steps, refit_of(steps), seed=1) == curve


def test_the_last_point_is_the_auc_over_pairs_within_folds_counted_one_by_one():
    steps = step_set(12, seed=3)
    refit = refit_of(steps)
    curve = learning_curve(steps, refit, seed=0)
    assert curve is not None
    right = pairs = 0.0
    for fold in range(5):
        measured = steps.problems % 5 == fold
        odds = refit(~measured, measured)
        labels = steps.labels[measured]
        for one, other in itertools.product(odds[labels == 1].tolist(), odds[labels == 0].tolist()):
            right += (one > other) + (one == other) / 2
            pairs += 1
    assert curve["points"][-1]["auc"] == pytest.approx(right / pairs)


def test_the_intervals_of_the_points_cover_what_other_problems_show():
    """The last point's AUC on new problems, repeatedly: nearly all are within the interval of nearly every curve."""
    inside = []
    truth = []
    curves = []
    for seed in range(12):
        steps = step_set(25, seed=seed)
        curve = learning_curve(steps, refit_of(steps), seed=seed)
        assert curve is not None
        curves.append(curve)
        truth.append(curve["points"][-1]["auc"])
    middle = float(np.mean(truth))
    for curve in curves:
        _, auc, _ = points(curve)[-1]
        assert auc.low is not None
        assert auc.high is not None
        inside.append(auc.low <= middle <= auc.high)
    assert sum(inside) >= 10
    spread = float(np.mean([curve["covariance"][-1][-1] for curve in curves])) ** 0.5
    assert 0.6 < spread / float(np.std(truth)) < 1.6


def test_the_gain_that_is_said_holds_what_twice_the_labels_really_bring():
    def auc_with(problems: int) -> float:
        found = []
        for seed in range(20):
            learned, unseen = step_set(problems, seed=1000 + seed), step_set(100, seed=2000 + seed)
            head = metrics.fit(learned.states["0"], learned.labels, 2, 10.0)
            found.append(metrics.auc(head.odds(unseen.states["0"]), unseen.targets) or 0.0)
        return float(np.mean(found))

    truth = auc_with(50) - auc_with(25)
    said = []
    for seed in range(6):
        steps = step_set(25, seed=seed)
        curve = learning_curve(steps, refit_of(steps), seed=seed)
        assert curve is not None
        said.append(gain(curve, curve["labels"]).gain)
    known = [one for one in said if one is not None]
    assert len(known) >= 4
    assert all(one.low < truth < one.high for one in known if one.low is not None and one.high is not None)
    assert np.mean([one.value for one in known]) < 2 * truth, "it promises not twice of what comes"


def test_what_machines_marked_is_learned_and_neither_counted_nor_measured():
    steps = step_set(40, machine=True)
    curve = learning_curve(steps, refit_of(steps), seed=0)
    assert curve is not None
    assert (curve["labels"], curve["problems"], curve["steps"]) == (80, 20, 240)


def test_shares_with_too_few_steps_of_a_kind_are_left_out_and_too_few_labels_give_no_curve():
    steps = step_set(6, per_problem=1, seed=2)
    curve = learning_curve(steps, refit_of(steps), seed=0)
    assert curve is not None
    assert len(curve["points"]) < len(SHARES)
    assert gain(curve, 100).because in ("few_points", "wide")
    one_problem = step_set(1)
    assert learning_curve(one_problem, refit_of(one_problem), seed=0) is None
    with pytest.raises(StoppedError):
        learning_curve(steps, refit_of(steps), seed=0, stop=lambda: True)


def made(problems: int = 100, noise: float = 1e-5, labels: int = 1000) -> dict:
    """Return a curve whose log odds are linear in the inverse square root of the labels."""
    found = []
    for share in SHARES:
        odds = 1 - 10 / np.sqrt(share * labels * 0.8)
        found.append({"labels": share * labels * 0.8, "auc": float(1 / (1 + np.exp(-odds))), "baseline": 0.55})
    covariance = (np.eye(len(SHARES)) * noise).tolist()
    return {"labels": labels, "problems": problems, "steps": 4000, "points": found, "covariance": covariance}


def test_what_lies_on_the_curve_goes_on_along_it():
    said = gain(made(), 1000)
    true = 1 / (1 + np.exp(-(1 - 10 / np.sqrt(2000)))) - 1 / (1 + np.exp(-(1 - 10 / np.sqrt(1000))))
    assert said.gain is not None
    assert said.gain.value == pytest.approx(true, abs=1e-6)
    assert said.gain.low < true < said.gain.high
    assert offers(1000) == [500, 1000, 2000]
    assert offers(37) == [18, 37, 74]
    assert offers(1) == [1, 2]


@pytest.mark.parametrize(
    ("curve", "because"),
    [(made(noise=1e-2), "wide"), (made(problems=4), "few_problems")],
    ids=["noise", "problems"],
)
def test_a_gain_that_the_labels_cannot_carry_is_not_said(curve, because):
    assert {one["because"] for one in told(curve)["gains"]} == {because}
    assert all(one["gain"] is None for one in told(curve)["gains"])


def test_a_curve_that_is_not_a_line_says_so_by_its_interval():
    bent = made()
    for place, point in enumerate(bent["points"]):
        point["auc"] += 0.02 * (-1) ** place
    straight = gain(made(), 1000).gain
    said = gain(bent, 1000)
    assert straight is not None
    if said.gain is None:
        assert said.because == "wide"
    else:
        assert said.gain.high - said.gain.low > 2 * (straight.high - straight.low)


def clustered(problems: int, seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return a head's odds of steps, which are right, their problems and places: steps of one problem are
    correlated.
    """
    generator = torch.Generator().manual_seed(seed)
    number, place = torch.arange(problems * 6) // 6, torch.arange(problems * 6) % 3
    hard = torch.randn(problems, generator=generator)[number]
    targets = (torch.randn(len(number), generator=generator) - 0.5 * hard > 0).float()
    said = targets - hard + torch.randn(len(number), generator=generator)
    return said, targets, number, place


@pytest.mark.parametrize("by_place", [False, True])
def test_an_auc_s_interval_over_problems_holds_the_true_one_about_95_times_in_100(by_place: bool) -> None:
    def measured(problems: int, seed: int) -> tuple[float | None, float | None]:
        said, targets, number, place = clustered(problems, seed)
        places = place if by_place else None
        value = metrics.auc_given_position(said, targets, place) if by_place else metrics.auc(said, targets)
        return value, metrics.variance_over_problems(said, targets, number, places)

    truth = float(measured(20_000, 1)[0] or 0)
    held = 0
    for seed in range(400):
        value, variance = measured(40, 100 + seed)
        found = of_auc(value, variance, 240, 40)
        assert found.low is not None and found.high is not None  # noqa: PT018 (one thing: an interval)
        held += found.low <= truth <= found.high
    assert 0.91 < held / 400 < 0.985


def test_an_auc_of_few_problems_or_of_one_kind_of_step_has_no_interval() -> None:
    said, targets, number, _ = clustered(4, 1)
    variance = metrics.variance_over_problems(said, targets, number)
    assert of_auc(metrics.auc(said, targets), variance, 24, 4).no_interval == "few_clusters"
    assert metrics.variance_over_problems(said, torch.ones(24), number) is None
    assert of_auc(None, None, 24, 4).value is None
    assert metrics.variance_over_problems(said, targets, torch.zeros(24)) is None
