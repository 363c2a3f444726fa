"""The additions of bench/beyond_stacked.py: attention and recurrence learn what each is meant for, and no more."""

import pytest
import torch
from torch import Tensor

from bench.beyond_stacked import COUNT, LAST, TOKENS, Added, attention, evened, recurrence
from bench.stacked_head import folds_of
from worker.prm import metrics
from worker.prm.fit_head import Split
from worker.prm.step_set import StepSet

TRACES, STEPS, WIDE = 80, 5, 80


def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def steps_of(right: Tensor, states: dict[str, Tensor]) -> StepSet:
    """TRACES traces of STEPS steps each, two traces per problem."""
    many = len(right)
    traces, places = torch.arange(many) // STEPS, torch.arange(many) % STEPS
    everything = torch.ones(many, dtype=torch.bool)
    parts = ["train"] * many
    return StepSet(states, right.long(), places, torch.ones(many), traces // 2, everything, parts, traces)


def split_of(steps: StepSet) -> tuple[Split, Tensor]:
    """Return three quarters of the problems to learn from, and the others."""
    fitted, held = folds_of(steps.problems, torch.ones(len(steps.labels), dtype=torch.bool), 4, 0)[0]
    return Split(folds_of(steps.problems, fitted, 4, 1), fitted, None, "cross-validation"), held


def reached(added: Added, steps: StepSet, split: Split, held: Tensor) -> tuple[float | None, float | None]:
    """Return the step AUC on `held`, steps that were not learned from, and the chosen strength."""
    more, strength = added.chosen(split, steps.targets)
    return metrics.auc(more[held], steps.targets[held]), strength


def test_attention_finds_the_one_token_of_a_step_that_says_whether_it_is_right() -> None:
    many, draw = TRACES * STEPS, drawn()
    right = torch.rand(many, generator=draw) < 0.7
    tokens = 0.1 * torch.randn(many, LAST, WIDE, generator=draw)
    tokens[..., 0] += 3 * torch.randn(many, LAST, generator=draw)  # a signal that a mean over the step hides
    telling = torch.randint(4, (many,), generator=draw)
    tokens[torch.arange(many), telling, 0] = torch.where(right, 4.0, -4.0)
    tokens[torch.arange(many), telling, 1] = 5.0  # it is found by this
    steps = steps_of(right, {TOKENS: tokens.half(), COUNT: torch.full((many, 1), 4.0)})
    split, held = split_of(steps)
    value, strength = reached(attention(steps, split, torch.zeros(many)), steps, split, held)
    assert strength is not None
    assert value is not None
    assert value > 0.9


def test_attention_does_not_see_what_lies_behind_a_steps_tokens() -> None:
    many, draw = TRACES * STEPS, drawn()
    right = torch.rand(many, generator=draw) < 0.7
    tokens, counts = torch.randn(many, LAST, WIDE, generator=draw).half(), torch.full((many, 1), 4.0)
    other = tokens.clone()
    other[:, 4:] = 7.0
    said = []
    for states in (tokens, other):
        steps = steps_of(right, {TOKENS: states, COUNT: counts})
        split, _held = split_of(steps)
        said.append(attention(steps, split, torch.zeros(many)).fit(split.learned, 10.0))
    torch.testing.assert_close(*said)


def test_recurrence_remembers_what_an_earlier_step_of_the_trace_said() -> None:
    inputs, right = told_before()
    steps = steps_of(right, {})
    split, held = split_of(steps)
    late = held & (steps.places >= 2)
    value, strength = reached(recurrence(inputs, steps, torch.zeros(len(right))), steps, split, late)
    assert strength is not None
    assert value is not None
    assert value > 0.9


def test_recurrence_adds_to_a_step_nothing_of_later_steps_or_of_other_traces() -> None:
    inputs, right = told_before()
    steps, start = steps_of(right, {}), torch.zeros(len(right))
    learned = steps.problems > 0  # not from the trace that is changed
    other = inputs.clone()
    other[2:STEPS] += 1.0  # the third step of the first trace, and those after it
    before, after = (recurrence(one, steps, start).fit(learned, 3.0) for one in (inputs, other))
    torch.testing.assert_close(before[:2], after[:2])
    torch.testing.assert_close(before[STEPS:], after[STEPS:])
    assert not torch.isclose(before[2:STEPS], after[2:STEPS]).any()


def told_before() -> tuple[Tensor, Tensor]:
    """Return inputs [n, 4] and whether each step is right: the value of two steps before, or chance in a trace's first
    two.
    """
    many, draw = TRACES * STEPS, drawn()
    inputs = torch.randn(many, 4, generator=draw)
    inputs[:, 0] = torch.where(torch.rand(many, generator=draw) < 0.5, 2.0, -2.0)
    right = torch.rand(many, generator=draw) < 0.5
    late = torch.arange(many) % STEPS >= 2
    right[late] = inputs[torch.nonzero(late)[:, 0] - 2, 0] > 0
    return inputs, right


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_right_and_wrong_steps_weigh_the_same(share: float) -> None:
    targets = (torch.arange(100) < 100 * share).float()
    _before, weights = evened(torch.zeros(100), targets)
    torch.testing.assert_close(weights[targets > 0].sum(), weights[targets == 0].sum())
    torch.testing.assert_close(weights.mean(), torch.tensor(1.0))


@pytest.mark.parametrize("kind", ["attention", "recurrence"])
def test_what_has_nothing_to_add_does_not_move_the_odds_of_all_steps(kind: str) -> None:
    many, draw = TRACES * STEPS, drawn()
    right = torch.rand(many, generator=draw) < 0.9
    start = right.float().mean().logit().expand(many)  # known about a step without reading it
    tokens = torch.randn(many, LAST, WIDE, generator=draw).half()
    steps = steps_of(right, {TOKENS: tokens, COUNT: torch.full((many, 1), 4.0)})
    split, _held = split_of(steps)
    noise = torch.randn(many, 4, generator=draw)
    added = attention(steps, split, start) if kind == "attention" else recurrence(noise, steps, start)
    assert added.fit(split.learned, added.strengths[-1]).mean().abs() < 0.25  # log odds; they are 2.2
