"""What a round's selection taught, measured in random labels."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from labeling.statistics.choice_worth import NEWEST, told, worths
from worker.prm import metrics
from worker.prm.choice_worth import MOST_ROUNDS, choice_worth
from worker.prm.errors import StoppedError
from worker.prm.kernels import one_thread
from worker.prm.learning_curve import learning_curve
from worker.prm.step_set import StepSet

WIDTH = 40
STEPS = 3


@pytest.fixture(autouse=True)
def alone():
    """Use one thread, as the trainer does with few steps."""
    with one_thread(True):
        yield


def step_set(problems: int, chosen: int, seed: int = 0, *, noise: float = 0.0, told: bool = True) -> StepSet:
    """Create a labeled trace of 3 steps per problem. The last `chosen` problems were chosen by round 7, the rest drawn
    at random. `noise`: how many of the chosen ones' labels are meaningless.
    """
    generator = torch.Generator().manual_seed(seed)
    number = torch.arange(problems * STEPS)
    labels = (torch.rand(len(number), generator=generator) > 0.4).long()
    states = torch.randn(len(number), WIDTH, generator=generator)
    states[:, :4] += 0.7 * labels[:, None]
    problem = number // STEPS
    by_chance = problem < problems - chosen
    lost = ~by_chance & (torch.rand(len(number), generator=generator) < noise)
    labels = torch.where(lost, (torch.rand(len(number), generator=generator) > 0.4).long(), labels)
    whole = torch.ones(len(number), dtype=torch.bool)
    lengths = torch.full((len(number),), 20.0)
    steps = StepSet({"0": states}, labels, number % STEPS, lengths, problem, whole, ["train"] * len(number), problem)
    if not told:
        return steps
    return replace(steps, rounds=torch.full_like(number, 7), by_chance=by_chance)


def refit_of(steps: StepSet):
    def refit(fitted: Tensor, measured: Tensor) -> Tensor:
        states = steps.states["0"]
        return metrics.fit(states[fitted], steps.labels[fitted], 2, 10.0).odds(states[measured])

    return refit


def measured(steps: StepSet):
    found = choice_worth(steps, refit_of(steps), seed=1)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", [1, 3])
def test_choices_that_teach_as_random_labels_do_are_worth_about_as_many_of_them(seed: int):
    [one] = worths(measured(step_set(700, 100, seed)))
    assert (one.round, one.labels, one.because) == (7, 100, None)
    assert one.worth is not None
    assert one.worth.low is not None
    assert one.worth.high is not None
    assert 0 < one.worth.low < 100 < one.worth.high < 300


def test_choices_whose_labels_say_nothing_are_worth_nothing_or_less():
    for seed in range(2):
        [one] = worths(measured(step_set(300, 100, seed, noise=1.0)))
        assert one.worth is not None
        assert one.worth.value is not None
        assert one.worth.value < 20
        assert one.at_least is None


def test_choices_that_taught_more_than_all_random_labels_have_a_low_end_only():
    steps = step_set(260, 200, seed=3)
    [one] = worths(measured(steps))
    assert (one.worth, one.because) == (None, "few_random")
    assert one.at_least is not None
    assert 10 < one.at_least < 200


def test_the_same_labels_give_the_same_worth_and_it_is_told_as_json():
    steps = step_set(300, 100)
    assert measured(steps) == measured(steps)
    report = told(measured(steps))
    assert report["random_labels"] == 200
    assert report["rounds"][0]["round"] == 7


def test_without_rounds_without_a_choice_and_without_random_labels_nothing_is_measured():
    assert choice_worth(step_set(60, 20, told=False), refit_of(step_set(60, 20)), seed=1) is None
    assert choice_worth(step_set(60, 0), refit_of(step_set(60, 0)), seed=1) is None
    assert choice_worth(step_set(60, 60), refit_of(step_set(60, 60)), seed=1) is None
    assert choice_worth(step_set(24, 20), refit_of(step_set(24, 20)), seed=1) is None, (
        "four random labels make no curve"
    )


def test_a_round_s_page_knows_how_many_rounds_a_training_measures():
    assert NEWEST == MOST_ROUNDS


def test_measuring_can_be_stopped():
    steps = step_set(60, 20)
    with pytest.raises(StoppedError):
        choice_worth(steps, refit_of(steps), 1, lambda: True)


def test_the_learning_curve_does_not_know_how_traces_were_chosen():
    steps, plain = step_set(60, 20), step_set(60, 20, told=False)
    assert learning_curve(steps, refit_of(steps), 1) == learning_curve(plain, refit_of(plain), 1)
