"""How good a classifier of steps is: AUC, AUC given the place, calibration, and what place and length alone would say.

`labeling/metrics` has the figures that pages show, with intervals; these are the few that training itself chooses by
and writes into a checkpoint, on tensors, without the product.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

BINS = 10
WIDEST = 20.0  # temperatures are sought between 1/20 and 20


class Head(NamedTuple):
    """Logits [n, labels] = states [n, h] @ weight [labels, h].T + bias [labels]."""

    weight: Tensor
    bias: Tensor

    def odds(self, states: Tensor) -> Tensor:
        """[n] log odds that a step is right."""
        return log_odds(states @ self.weight.T + self.bias)

    def cooled(self, temperature: float) -> "Head":
        """All logits divided by the temperature."""
        return Head(self.weight / temperature, self.bias / temperature)


def log_odds(logits: Tensor) -> Tensor:
    """[n] of right (all labels but the first together) against wrong, from logits [n, labels]."""
    return logits[:, 1:].logsumexp(-1) - logits[:, 0]


def fit(states: Tensor, labels: Tensor, count: int, l2: float) -> Head:
    """Logistic regression by L-BFGS on standardised states [n, h], all classes weighing the same; for raw states.

    `labels` [n] are 0 … count - 1. With two of them the first row is 0: only differences of logits matter.
    """
    mean, deviation = states.mean(0), states.std(0, correction=0).clamp_min(1e-6)
    inputs = (states - mean) / deviation
    shares = (torch.bincount(labels, minlength=count) / len(labels)).clamp(1e-3, 1 - 1e-3)
    free = 1 if count == 2 else count
    found = torch.zeros(free, inputs.shape[1] + 1, requires_grad=True)
    optimiser = torch.optim.LBFGS([found], max_iter=200, line_search_fn="strong_wolfe", tolerance_change=1e-7)

    def loss() -> Tensor:
        optimiser.zero_grad()
        logits = inputs @ found[:, :-1].T + found[:, -1]
        logits = torch.cat([torch.zeros(len(inputs), count - free), logits], 1)
        misfit = cross_entropy(logits, labels, 1 / (count * shares), reduction="sum")
        value = (misfit + l2 * found[:, :-1].square().sum()) / len(inputs)
        value.backward()
        return value

    optimiser.step(loss)
    weight = torch.cat([torch.zeros(count - free, inputs.shape[1]), found[:, :-1].detach() / deviation])
    bias = torch.cat([torch.zeros(count - free), found[:, -1].detach()]) - weight @ mean
    # With balanced classes even odds mean that two classes are equally likely; shift back to how often each occurs.
    return Head(weight, bias + shares.log() - shares.log()[0])


def auc(values: Tensor, targets: Tensor) -> float | None:
    """Share of pairs (right step, wrong step) in the right order, ties half; None without both kinds."""
    good, wrong = values[targets > 0.5], values[targets <= 0.5]
    pairs = len(good) * len(wrong)
    return float(_right_pairs(good, wrong) / pairs) if pairs else None


def auc_given_place(values: Tensor, targets: Tensor, places: Tensor) -> float | None:
    """AUC over pairs of steps at the same place of their traces only: later steps are worse, and that is no skill."""
    right = pairs = 0.0
    for place in places.unique():
        here = places == place
        good, wrong = values[here & (targets > 0.5)], values[here & (targets <= 0.5)]
        right += _right_pairs(good, wrong)
        pairs += len(good) * len(wrong)
    return right / pairs if pairs else None


def _right_pairs(good: Tensor, wrong: Tensor) -> float:
    """Pairs in the right order, by rank: n log n."""
    ordered = wrong.sort().values
    below = torch.searchsorted(ordered, good, right=False)
    upto = torch.searchsorted(ordered, good, right=True)
    return float((below + upto).double().sum() / 2)


def place_and_length(places: Tensor, lengths: Tensor) -> Tensor:
    """What the baseline sees of each step, [n, 4]. The number of steps is not in it: a labeled trace ends at its first
    error, so that would give the answer away.
    """
    places = places.float()
    return torch.stack([places, places.square(), lengths, lengths.log1p()], 1)


def measure(odds: Tensor, targets: Tensor, places: Tensor) -> dict[str, Any]:
    """Step AUC, AUC given the place, and n of both kinds."""
    return {
        "steps": len(targets),
        "wrong": int((targets <= 0.5).sum()),
        "auc": auc(odds, targets),
        "auc_given_place": auc_given_place(odds, targets, places),
        "log_loss": loss_at(odds, targets, 1.0) if len(targets) else None,
    }


def beats(found: dict[str, Any] | None, baseline: dict[str, Any] | None) -> bool | None:
    """Whether both AUCs are above the baseline's; None where one of them could not be measured."""
    won = []
    for name in ("auc", "auc_given_place"):
        one, limit = (found or {}).get(name), (baseline or {}).get(name)
        if one is None or limit is None:
            return None
        won.append(one > limit)
    return all(won)


def best_temperature(odds: Tensor, targets: Tensor) -> float | None:
    """The divisor of log odds with the lowest log loss, by golden section over its logarithm (the loss has one valley
    there: Guo et al. 2017, arXiv 1706.04599). None without steps of both kinds.

    Targets are drawn in as Platt did (1999): a few steps that are told apart perfectly are no reason to be certain.
    """
    if len(targets.unique()) < 2:
        return None
    right, wrong = targets.sum(), (1 - targets).sum()
    targets = torch.where(targets > 0.5, (right + 1) / (right + 2), 1 / (wrong + 2))
    golden = (math.sqrt(5) - 1) / 2
    low, high = -math.log(WIDEST), math.log(WIDEST)
    while high - low > 1e-5:
        one, two = high - golden * (high - low), low + golden * (high - low)
        if loss_at(odds, targets, math.exp(one)) <= loss_at(odds, targets, math.exp(two)):
            high = two
        else:
            low = one
    return math.exp((low + high) / 2)


def loss_at(odds: Tensor, targets: Tensor, temperature: float) -> float:
    """Mean log loss in nats."""
    return float(binary_cross_entropy_with_logits(odds.double() / temperature, targets.double()))


def calibration(odds: Tensor, targets: Tensor) -> dict[str, Any]:
    """Expected calibration error (bins of equal width, Guo et al.), Brier score, and the reliability diagram's bins.

    A bin has the mean P(right) of its steps and the share that people found right; empty bins are left out.
    """
    said, true = odds.double().sigmoid(), targets.double()
    place = (said * BINS).long().clamp_max(BINS - 1)
    bins = []
    for number in place.unique().tolist():
        here = place == number
        bins.append(
            {
                "low": number / BINS,
                "high": (number + 1) / BINS,
                "steps": int(here.sum()),
                "said": float(said[here].mean()),
                "right": float(true[here].mean()),
            }
        )
    error = sum(one["steps"] * abs(one["said"] - one["right"]) for one in bins) / max(len(true), 1)
    return {"ece": error, "brier": float((said - true).square().mean()), "bins": bins}
