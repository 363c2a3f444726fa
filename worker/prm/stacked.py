"""A logistic head over several blocks of numbers, each block shrunk by itself.

The wide blocks (states of several layers, means over steps) are first brought to their principal components: of the
learned steps alone, and without looking at a label. Then one logistic regression over all blocks, in which each has a
strength of its own: a step's 17 surprises are few and telling, its 2,304 states many and noisy. All of it is linear, so
that the head that comes out is one vector over the raw numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from worker.prm import metrics
from worker.prm.step_readings import BLOCKS, CHANGES, MEANS, PLACE, STATES, SURPRISE

COMPONENTS = 128
WIDE, NARROW = (STATES, MEANS), (SURPRISE, CHANGES)
# L2 of the wide blocks' components and of the narrow ones' numbers; place and length are few, and shrunk hardly.
WIDE_L2, NARROW_L2, PLACE_L2 = (30.0, 100.0, 300.0, 1000.0, 3000.0), (3.0, 30.0, 300.0), 1.0
SEED = 5  # of the random start of the components


class Strengths(NamedTuple):
    """L2 by group of blocks; infinite: the group is left out."""

    wide: float
    narrow: float
    place: float = PLACE_L2


class LinearHead(NamedTuple):
    """[d] weights over the raw numbers of all blocks in their order, and the bias: log odds that a step is right."""

    weight: Tensor
    bias: Tensor

    def odds(self, readings: Tensor) -> Tensor:
        """[n] from readings [n, d]."""
        return readings @ self.weight + self.bias

    def bent(self, slope: float, shift: float) -> "LinearHead":
        """slope * odds + shift."""
        return LinearHead(self.weight * slope, self.bias * slope + shift)


@dataclass(frozen=True)
class Design:
    """How raw numbers become the inputs of the regression: standardised, the wide blocks projected.

    mean, deviation [d]; components [d_wide, k], of the blocks in WIDE; groups [k + …]: 0 wide, 1 narrow, 2 place.
    """

    mean: Tensor
    deviation: Tensor
    components: Tensor
    groups: Tensor

    @classmethod
    def of(cls, readings: Mapping[str, Tensor], learned: Tensor) -> "Design":
        """From the learned steps (a mask [n])."""
        rows = joined(readings)[learned]
        mean, deviation = rows.mean(0), rows.std(0, correction=0).clamp_min(1e-6)
        width = sum(readings[name].shape[1] for name in WIDE)
        wide = ((rows - mean) / deviation)[:, :width]
        components = principal(wide)
        narrow = sum(readings[name].shape[1] for name in NARROW)
        groups = [0] * components.shape[1] + [1] * narrow + [2] * readings[PLACE].shape[1]
        return cls(mean, deviation, components, torch.tensor(groups))

    def inputs(self, readings: Mapping[str, Tensor]) -> Tensor:
        """[n, k + …]."""
        rows = (joined(readings) - self.mean) / self.deviation
        width = len(self.components)
        return torch.cat([rows[:, :width] @ self.components, rows[:, width:]], 1)

    def scales(self, strengths: Strengths) -> Tensor:
        """[k + …] what inputs are multiplied by so that an L2 of 1 on all is each group's own."""
        each = torch.tensor([value**-0.5 for value in strengths])
        return each[self.groups]

    def raw(self, head: metrics.Head, scales: Tensor) -> LinearHead:
        """The head over scaled inputs as one over raw numbers."""
        weight = (head.weight[1] - head.weight[0]) * scales
        wide = len(self.components.T)
        spread = torch.cat([self.components @ weight[:wide], weight[wide:]]) / self.deviation
        return LinearHead(spread, head.bias[1] - head.bias[0] - spread @ self.mean)


def joined(readings: Mapping[str, Tensor]) -> Tensor:
    """[n, d] all blocks in their order."""
    return torch.cat([readings[name] for name in BLOCKS], 1)


def principal(rows: Tensor) -> Tensor:
    """[d, k] directions of most variance of standardised rows [n, d] (Halko et al. 2011, arXiv 0909.4061)."""
    count = min(COMPONENTS, len(rows) - 1, rows.shape[1])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return torch.pca_lowrank(rows, q=max(count, 1), center=False, niter=2)[2]


class Tried(NamedTuple):
    """The strengths with the best AUC on steps that were not fitted on, and the log odds [n] they gave there."""

    strengths: Strengths
    odds: Tensor
    tried: list[dict[str, float]]


Folds = Sequence[tuple[Tensor, Tensor]]
GRID = tuple(Strengths(wide, narrow) for wide, narrow in product(WIDE_L2, NARROW_L2))


def choose(design: Design, inputs: Tensor, labels: Tensor, folds: Folds, grid: Sequence[Strengths] = GRID) -> Tried:
    """By pairs of masks (fitted on, measured on)."""
    measured = torch.stack([one for _fitted, one in folds]).any(0)
    best: Tried | None = None
    top, tried = -1.0, []
    for strengths in grid:
        odds, scales = torch.zeros(len(labels)), design.scales(strengths)
        for fitted, held in folds:
            head = fit_scaled(inputs[fitted] * scales, labels[fitted])
            odds[held] = head.odds(inputs[held] * scales)
        value = metrics.auc(odds[measured], (labels[measured] > 0).float()) or 0.0
        tried.append({"wide": strengths.wide, "narrow": strengths.narrow, "validation_auc": value})
        if value > top:
            top, best = value, Tried(strengths, odds, tried)
    assert best is not None
    return best


def fit_scaled(inputs: Tensor, labels: Tensor) -> metrics.Head:
    """Logistic regression with an L2 of 1, both classes weighing the same; inputs are taken as they are."""
    targets = (labels > 0).long()
    shares = (torch.bincount(targets, minlength=2) / len(targets)).clamp(1e-3, 1 - 1e-3)
    found = metrics.newton(inputs, targets, 1 / (2 * shares), 1.0, torch.zeros(1, inputs.shape[1] + 1))[0]
    shift = shares.log()[1] - shares.log()[0]
    return metrics.Head(
        torch.stack([torch.zeros_like(found[:-1]), found[:-1]]), torch.stack([torch.zeros(()), found[-1] + shift])
    )


def platt(odds: Tensor, targets: Tensor) -> tuple[float, float]:
    """Slope and shift that make odds [n] probabilities (Platt 1999), from steps that were not fitted on."""
    found = metrics.newton(odds[:, None], (targets > 0.5).long(), torch.ones(2), 1e-3, torch.tensor([[1.0, 0.0]]))[0]
    return max(float(found[0]), 1e-3), float(found[1])
